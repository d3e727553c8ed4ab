import { capabilityNames } from "@sandbox-agent/schema/agent"
import { expect, test } from "vitest"
import type { Reply } from "../../../src/drivers/mock/protocol.ts"
import { driver, hostAt, openSession, type TestSession, temporaryFolder } from "./session.ts"

/** What the agent itself says is in force. */
const inForce = (session: TestSession) => (JSON.parse(session.recorder.lines.at(-1) ?? "") as Reply).settings

test("configure is in force at once, in the middle of a turn", async () => {
  const session = await openSession()
  const from = await session.start("/question\n/run true")
  const [ask] = await session.recorder.until("ask", undefined, from)
  expect(await session.native.configure?.({ permissionMode: "plan" })).toBe("now")
  await session.native.answer(ask.key, { kind: "question", answers: [["Red"]] })
  const [permission] = await session.recorder.until("ask", ({ key }) => key !== ask.key, from)
  expect(permission).toMatchObject({ type: "permission", kind: "command" })
  await session.native.answer(permission.key, { kind: "permission", reply: "once" })
  expect((await session.finish(from)).end.stop).toBe("end_turn")
})

test("settings reach the agent at open and by configure; a new model drops the old one's variant", async () => {
  const session = await openSession({ settings: { agentMode: "plan", model: "mock-large", variant: "high" } })
  await session.native.configure?.({ permissionMode: "acceptEdits" })
  const opened = { agentMode: "plan", permissionMode: "acceptEdits", model: "mock-large", variant: "high" }
  expect(inForce(session)).toEqual(opened)
  await session.native.configure?.({ model: "mock-small", agentMode: "build" })
  expect(inForce(session)).toEqual({ agentMode: "build", permissionMode: "acceptEdits", model: "mock-small" })
})

test("what the catalog does not list is refused and changes nothing", async () => {
  const session = await openSession({ settings: { model: "mock-small" } })
  const configure = (patch: Parameters<NonNullable<typeof session.native.configure>>[0]) =>
    session.native.configure?.(patch)
  await expect(configure({ model: "gpt-17" })).rejects.toMatchObject({ code: "invalid_request" })
  await expect(configure({ variant: "low" })).rejects.toMatchObject({ code: "invalid_request" })
  await expect(configure({ model: "mock-large", variant: "extreme" })).rejects.toMatchObject({
    code: "invalid_request",
  })
  await expect(configure({ agentMode: "dream" })).rejects.toMatchObject({ code: "mode_not_supported" })
  expect(session.recorder.of("sent")).toEqual([])
  await expect(openSession({ settings: { agentMode: "dream" } })).rejects.toMatchObject({ code: "mode_not_supported" })
})

test("everything written to the agent is told to the core as it is", async () => {
  const session = await openSession()
  await session.run("hello")
  expect(session.recorder.of("sent").map(([raw]) => JSON.parse(raw))).toEqual([
    { type: "prompt", message: { id: "m1", text: "hello", attachments: [] } },
  ])
})

test("the driver says what it is", async () => {
  expect(driver).toMatchObject({ spec: 1, agent: "mock", name: "Mock", stability: "stable" })
  const missing = capabilityNames.filter((name) => !driver.capabilities[name])
  expect(missing).toEqual(["mcpTools", "sharedProcess"])
  expect(await driver.programs.locate()).toEqual({
    installed: true,
    version: "1.2.3",
    source: "builtin",
    credentials: "available",
  })
  const { modes, models, defaultModel } = await driver.catalog(hostAt(temporaryFolder()))
  expect(modes.map(({ id }) => id)).toEqual(["build", "plan"])
  expect(models.map(({ id, variants, defaultVariant }) => [id, variants, defaultVariant])).toEqual([
    ["mock-large", ["low", "medium", "high"], "medium"],
    ["mock-small", [], undefined],
  ])
  expect(defaultModel).toBe("mock-large")
})

import { afterAll, beforeAll, expect, test } from "vitest"
import type { TestDaemon } from "../harness/daemon.ts"
import { program, startWith } from "./lines.ts"
import { type Json, Wire } from "./wire.ts"

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startWith("moded", program("../drivers/acp/moded-agent.ts"))
})
afterAll(() => daemon.stop())

const unverified = { "sandboxagent.dev": { unverified: true } }

async function connect() {
  const wire = new Wire(daemon, `/v1/acp/${crypto.randomUUID()}`)
  await wire.initialize({}, "moded")
  return wire
}

const newSession = (ours: Json = {}): Json => ({ cwd: "/tmp", mcpServers: [], _meta: { "sandboxagent.dev": ours } })

test("a mode nobody vouches for is marked, and no way into it is open outside bypass", async () => {
  const wire = await connect()
  const { result = {} } = await wire.ask("session/new", newSession({ requestedSessionId: "marked" }))
  const modes = result.modes as { availableModes: Json[] }
  expect(modes.availableModes.map(({ id, _meta }) => [id, _meta])).toEqual([
    ["build", undefined],
    ...["code", "architect", "yolo"].map((id) => [id, unverified]),
  ])
  const options = result.configOptions as { id: string; _meta?: Json; options: Json[] }[]
  expect(options.find(({ id }) => id === "mode")?.options.at(-1)).toMatchObject({ value: "yolo", _meta: unverified })
  expect(options.map(({ id, _meta }) => [id, _meta]).slice(-2)).toEqual([
    ["approval", unverified],
    ["verbosity", undefined],
  ])
  const sessionId = "marked"
  const tries: [string, Json][] = [
    ["session/set_mode", { sessionId, modeId: "yolo" }],
    ["session/set_config_option", { sessionId, configId: "mode", value: "yolo" }],
    ["session/set_config_option", { sessionId, configId: "approval", value: "never" }],
    ["_sandboxagent/session/set_metadata", { sessionId, metadata: { mode: "yolo" } }],
    ["session/new", newSession({ mode: "yolo", requestedSessionId: "refused" })],
  ]
  for (const [method, params] of tries)
    expect((await wire.ask(method, params)).error?.data?.code, `${method} ${JSON.stringify(params)}`).toBe(
      "permission_denied",
    )
  expect(await daemon.api.session(sessionId)).toMatchObject({ agentMode: "build", permissionMode: "default" })
  expect((await daemon.api.call("GET", "/v1/sessions/refused")).status).toBe(404)
})

test("over REST the same", async () => {
  const { modes } = await daemon.api.ok<{ modes: Json[] }>("GET", "/v1/agents/moded/modes")
  expect(modes.map((mode) => [mode.id, mode.unverified])).toEqual([
    ["build", undefined],
    ...["code", "architect", "yolo"].map((id) => [id, true]),
  ])
  const create = (id: string, body: Json) => daemon.api.call("POST", `/v1/sessions/${id}`, { agent: "moded", ...body })
  expect((await create("rest", { agentMode: "yolo" })).status).toBe(403)
  expect((await daemon.api.call("GET", "/v1/sessions/rest")).status).toBe(404)
  expect((await create("rest", { agentMode: "yolo", permissionMode: "bypass" })).status).toBe(201)
  const change = (body: Json) => daemon.api.call<Json>("PATCH", "/v1/sessions/rest", body)
  expect((await change({ permissionMode: "default" })).body.session).toMatchObject({ agentMode: "build" })
  expect((await change({ agentMode: "yolo" })).status).toBe(403)
})

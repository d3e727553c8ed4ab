import { expect, test } from "vitest"
import { chooseOption } from "../../../src/core/passthrough-options.ts"
import { patchSession } from "../../../src/core/settings.ts"
import { Remembering } from "./remembering.ts"

async function dangerous(stage: Remembering) {
  const session = await stage.open({ permissionMode: "bypass" })
  await chooseOption(session, "danger", true)
  expect(await stage.does()).toBe("unasked in code")
  return session
}

test("a session leaves bypass although the agent no longer offers an option chosen there", async () => {
  await using stage = new Remembering()
  const session = await dangerous(stage)
  await stage.run("drop danger")
  await patchSession(session, { permissionMode: "default" })
  expect(session.record).toMatchObject({ permissionMode: "default", native: { chosen: {} } })
  expect(session.process).toBe("live")
})

test.each(["refuses", "ignores"] as const)("and although the agent %s to set one back: it is ended", async (rule) => {
  await using stage = new Remembering()
  const session = await dangerous(stage)
  stage.rules({ [rule]: ["danger"] })
  await patchSession(session, { permissionMode: "default" })
  expect([session.record.permissionMode, session.process]).toEqual(["default", "none"])
  stage.rules({})
  expect(await stage.does()).toBe("asked in code")
  expect(stage.of("session.updated").flatMap(({ data }) => data.context ?? [])).toEqual([])
})

test("and although it refuses to go back into its mode", async () => {
  await using stage = new Remembering()
  const session = await stage.inYolo()
  stage.rules({ refuses: ["mode"] })
  await patchSession(session, { permissionMode: "default" })
  expect(session.record).toMatchObject({ permissionMode: "default", agentMode: "build" })
  expect(session.process).toBe("none")
  stage.rules({})
  expect(await stage.does()).toBe("asked in code")
  expect(session.record.agentMode).toBe("build")
})

test.each([
  ["its mode", ["mode"]],
  ["an option", ["danger"]],
])("one that goes on refusing to set back %s begins anew with the first message", async (_, refuses) => {
  await using stage = new Remembering()
  const session = await stage.inYolo()
  await chooseOption(session, "danger", true)
  stage.rules({ refuses })
  await patchSession(session, { permissionMode: "default" })
  expect(session.record).toMatchObject({ permissionMode: "default", agentMode: "build" })
  expect(await stage.does()).toBe("asked in code")
  expect(stage.of("session.updated").flatMap(({ data }) => data.context ?? [])).toEqual(["rebuilt"])
  expect(stage.of("turn.ended").map(({ data }) => data.stop_reason)).toEqual(["end_turn", "end_turn"])
  expect(stage.wrongs()).toEqual([])
})

test("and although it answers without a result", async () => {
  await using stage = new Remembering()
  const session = await stage.inYolo()
  stage.rules({ wordless: ["session/set_mode", "session/prompt"] })
  await patchSession(session, { permissionMode: "default" })
  expect(session.record).toMatchObject({ permissionMode: "default", agentMode: "build" })
  expect([session.process, await stage.does()]).toEqual(["live", "asked in code"])
  expect(stage.wrongs()).toEqual([])
})

test("what is wanted beside it is refused as ever, and the session stays as it was", async () => {
  await using stage = new Remembering()
  const session = await dangerous(stage)
  const refused = patchSession(session, { permissionMode: "default", agentMode: "yolo" })
  await expect(refused).rejects.toMatchObject({ code: "permission_denied" })
  expect([session.record.permissionMode, session.process]).toEqual(["bypass", "live"])
})

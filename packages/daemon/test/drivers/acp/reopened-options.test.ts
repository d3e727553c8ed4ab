import { expect, test } from "vitest"
import { forkSession } from "../../../src/core/fork.ts"
import { chooseOption } from "../../../src/core/passthrough-options.ts"
import { closeProcess } from "../../../src/core/process.ts"
import { patchSession } from "../../../src/core/settings.ts"
import { Remembering } from "./remembering.ts"

/** A session whose agent has options that only `bypass` allows. */
async function unasked(stage: Remembering) {
  const session = await stage.open({ permissionMode: "bypass" })
  await chooseOption(session, "approval", "never")
  await chooseOption(session, "danger", true)
  expect(await stage.does()).toBe("unasked in code")
  return session
}

const values = (stage: Remembering, s = stage.session) =>
  s.native?.passthrough?.settings().others.map(({ currentValue }) => currentValue)

test("resumed outside bypass an agent gets its options back as they were", async () => {
  await using stage = new Remembering()
  const session = await unasked(stage)
  await closeProcess(session)
  await patchSession(session, { permissionMode: "default" })
  expect(await stage.does()).toBe("asked in code")
  expect([values(stage), session.record.native.chosen]).toEqual([["always", false], {}])
  expect(stage.wrongs()).toEqual([])
})

test("so it does where it was resumed in bypass, and leaves it then", async () => {
  await using stage = new Remembering()
  const session = await unasked(stage)
  await closeProcess(session)
  expect(await stage.does()).toBe("unasked in code")
  await patchSession(session, { permissionMode: "default" })
  expect(session.record.native.chosen).toEqual({})
  expect(await stage.does()).toBe("asked in code")
  // Bypass does not bring them back.
  await patchSession(session, { permissionMode: "bypass" })
  await closeProcess(session)
  expect(await stage.does()).toBe("asked in code")
  expect(values(stage)).toEqual(["always", false])
})

test("and in a fork", async () => {
  await using stage = new Remembering()
  const parent = await unasked(stage)
  const { session } = await forkSession(stage.core.sessions, parent, { id: "fork", permissionMode: "default" })
  expect(await stage.does("do", stage.keep(session))).toBe("asked in code")
  expect([values(stage, session), values(stage, parent)]).toEqual([
    ["always", false],
    ["never", true],
  ])
})

test.each(["default", "bypass"] as const)("and where it is adopted (%s)", async (permissionMode) => {
  await using before = new Remembering()
  const nativeSessionId = (await unasked(before)).record.native.id
  await before.core.stop()
  await using stage = new Remembering(before.folder)
  const adopted = await stage.open({ nativeSessionId, permissionMode })
  await patchSession(adopted, { permissionMode: "default" })
  expect(await stage.does()).toBe("asked in code")
  expect(adopted.record.native.id).toBe(nativeSessionId)
})

test.each(["refuses", "ignores"] as const)("one that %s to be put back is begun anew", async (rule) => {
  await using stage = new Remembering()
  const session = await unasked(stage)
  await closeProcess(session)
  stage.rules({ [rule]: ["danger"] })
  await patchSession(session, { permissionMode: "default" })
  expect(await stage.does()).toBe("asked in code")
  expect(stage.of("session.updated").flatMap(({ data }) => data.reason ?? [])).toEqual([
    expect.stringContaining("option danger stays"),
  ])
})

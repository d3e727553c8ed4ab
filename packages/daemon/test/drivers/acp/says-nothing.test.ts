import { describe, expect, test } from "vitest"
import { forkSession } from "../../../src/core/fork.ts"
import { chooseOption } from "../../../src/core/passthrough-options.ts"
import { closeProcess } from "../../../src/core/process.ts"
import { patchSession } from "../../../src/core/settings.ts"
import { Coupled } from "./coupled.ts"
import { Remembering } from "./remembering.ts"

/** Modes and options may be left out of what opens an old session: it goes on as it was, and does not say so. */
const silent = { silent: ["session/resume", "session/fork"] }
const asking = { agentMode: "build", permissionMode: "default" }
const values = (stage: Remembering, s = stage.session) =>
  s.native?.passthrough?.settings().others.map(({ currentValue }) => currentValue)

/** A session in which nothing is asked: by its mode, or by options alone. */
async function unasked(stage: Remembering, by: "mode" | "options" | "both" = "both") {
  const session = by === "options" ? await stage.open({ permissionMode: "bypass" }) : await stage.inYolo()
  if (by !== "mode") {
    await chooseOption(session, "approval", "never")
    await chooseOption(session, "danger", true)
  }
  stage.rules(silent)
  return session
}

describe("an agent that does not say what an old session is in is put back", () => {
  test.each(["mode", "options", "both"] as const)("when it is resumed outside bypass (%s)", async (by) => {
    await using stage = new Remembering()
    const session = await unasked(stage, by)
    await closeProcess(session)
    await patchSession(session, { permissionMode: "default" })
    expect(await stage.does()).toBe("asked in code")
    expect(session.record).toMatchObject({ ...asking, native: { chosen: {} } })
    expect(values(stage)).toEqual(["always", false])
    expect(stage.wrongs()).toEqual([])
  })

  test.each(["mode", "options"] as const)("and when it is resumed in bypass, and leaves it then (%s)", async (by) => {
    await using stage = new Remembering()
    const session = await unasked(stage, by)
    const { agentMode } = session.record
    await closeProcess(session)
    expect(await stage.does()).toBe(by === "mode" ? "unasked in yolo" : "unasked in code")
    // Silence changes nothing of what was chosen.
    expect(session.record.agentMode).toBe(agentMode)
    await patchSession(session, { permissionMode: "default" })
    expect([session.process, await stage.does()]).toEqual(["live", "asked in code"])
    expect(session.record).toMatchObject(asking)
  })

  test("and in a fork, of which the parent goes on as it is", async () => {
    await using stage = new Remembering()
    const parent = await unasked(stage)
    const { session } = await forkSession(stage.core.sessions, parent, { id: "fork", permissionMode: "default" })
    expect(await stage.does("do", stage.keep(session))).toBe("asked in code")
    expect(session.record).toMatchObject(asking)
    expect(values(stage, parent)).toEqual(["never", true])
  })

  test.each(["default", "bypass"] as const)("and where it is adopted (%s)", async (permissionMode) => {
    await using before = new Remembering()
    const nativeSessionId = (await unasked(before)).record.native.id
    await before.core.stop()
    await using stage = new Remembering(before.folder)
    const adopted = await stage.open({ nativeSessionId, permissionMode })
    await patchSession(adopted, { permissionMode: "default" })
    expect(await stage.does()).toBe("asked in code")
    expect(adopted.record).toMatchObject({ ...asking, native: { id: nativeSessionId } })
  })

  test("and where it moved by itself, and nobody chose anything", async () => {
    await using stage = new Remembering()
    const session = await stage.open()
    stage.rules(silent)
    await closeProcess(session)
    stage.moved(session, { approval: "never", danger: true })
    expect(await stage.does()).toBe("asked in code")
  })
})

test("an option that it never offers to a new session is put back as well", async () => {
  await using stage = new Remembering()
  const session = await unasked(stage, "options")
  stage.rules({ ...silent, without: ["danger"] })
  await closeProcess(session)
  await patchSession(session, { permissionMode: "default" })
  expect(await stage.does()).toBe("asked in code")
})

test("one that does not go back is begun anew", async () => {
  await using stage = new Remembering()
  const session = await unasked(stage)
  stage.rules({ ...silent, refuses: ["danger"] })
  await closeProcess(session)
  await patchSession(session, { permissionMode: "default" })
  expect(await stage.does()).toBe("asked in code")
  expect(stage.of("session.updated").map(({ data }) => data.context)).toContain("rebuilt")
})

test("a model that was chosen is chosen again", async () => {
  await using stage = new Coupled()
  const session = await stage.open({ model: "slow" })
  stage.rules({ silent: ["session/resume"] })
  await closeProcess(session)
  expect([await stage.has(), stage.rebuilt, session.record.model]).toEqual(["slow calm", false, "slow"])
})

import { expect, test } from "vitest"
import { forkSession } from "../../../src/core/fork.ts"
import { closeProcess } from "../../../src/core/process.ts"
import { patchSession } from "../../../src/core/settings.ts"
import { Remembering } from "./remembering.ts"

const asking = { agentMode: "build", permissionMode: "default" }

test("resumed outside bypass an agent is put back into the mode that it began in", async () => {
  await using stage = new Remembering()
  const session = await stage.inYolo()
  await closeProcess(session)
  await patchSession(session, { permissionMode: "default" })
  expect(await stage.does()).toBe("asked in code")
  expect(session.record).toMatchObject(asking)
  expect(stage.wrongs()).toEqual([])
})

test("so it is where it was resumed in bypass, and leaves it then", async () => {
  await using stage = new Remembering()
  const session = await stage.inYolo()
  await closeProcess(session)
  expect(await stage.does()).toBe("unasked in yolo")
  await patchSession(session, { permissionMode: "default" })
  expect(await stage.does()).toBe("asked in code")
  expect(session.record).toMatchObject(asking)
})

test("and in a fork", async () => {
  await using stage = new Remembering()
  const parent = await stage.inYolo()
  const { session } = await forkSession(stage.core.sessions, parent, { id: "fork", permissionMode: "default" })
  expect(await stage.does("do", stage.keep(session))).toBe("asked in code")
  expect(session.record).toMatchObject(asking)
})

test.each(["default", "bypass"] as const)("and where it is adopted (%s)", async (permissionMode) => {
  await using before = new Remembering()
  const nativeSessionId = (await before.inYolo()).record.native.id
  await before.core.stop()
  await using stage = new Remembering(before.folder)
  const adopted = await stage.open({ nativeSessionId, permissionMode })
  await patchSession(adopted, { permissionMode: "default" })
  expect(await stage.does()).toBe("asked in code")
  expect(adopted.record).toMatchObject({ ...asking, native: { id: nativeSessionId } })
})

test("one that no longer has that mode is begun anew", async () => {
  await using stage = new Remembering()
  const session = await stage.inYolo()
  await closeProcess(session)
  stage.rules({ without: ["code"] })
  await patchSession(session, { permissionMode: "default" })
  expect(await stage.does()).toBe("asked in code")
  expect(stage.of("session.updated").map(({ data }) => data.context)).toContain("rebuilt")
})

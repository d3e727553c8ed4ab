import { expect, test } from "vitest"
import { chooseOption } from "../../../src/core/passthrough-options.ts"
import { closeProcess } from "../../../src/core/process.ts"
import { patchSession } from "../../../src/core/settings.ts"
import { Coupled } from "./coupled.ts"

test("what an agent chooses anew with a model of ours it keeps, also when it is opened again", async () => {
  await using stage = new Coupled()
  const session = await stage.open()
  await patchSession(session, { model: "slow" })
  expect([session.process, await stage.has()]).toEqual(["live", "slow calm"])
  await closeProcess(session)
  expect(await stage.has()).toBe("slow calm")
  await patchSession(session, { model: "fast" })
  expect([session.process, await stage.has(), stage.rebuilt]).toEqual(["live", "fast quick", false])
})

test("so it does in a session that begins with that model", async () => {
  await using stage = new Coupled()
  await stage.open({ model: "slow" })
  expect(await stage.has()).toBe("slow calm")
})

test("what was chosen under bypass goes back all the same, and follows again from then on", async () => {
  await using stage = new Coupled()
  const session = await stage.open({ permissionMode: "bypass" })
  await chooseOption(session, "pace", "never")
  await patchSession(session, { permissionMode: "default" })
  expect([session.process, await stage.has()]).toEqual(["live", "fast quick"])
  await patchSession(session, { model: "slow" })
  expect([session.process, await stage.has()]).toEqual(["live", "slow calm"])
})

test.each(["live", "closed"])("where it cannot go back the agent is ended or begun anew (%s)", async (process) => {
  await using stage = new Coupled()
  const session = await stage.open({ permissionMode: "bypass" })
  await chooseOption(session, "pace", "never")
  await patchSession(session, { model: "slow" })
  expect(await stage.has()).toBe("slow never")
  if (process === "closed") await closeProcess(session)
  await patchSession(session, { permissionMode: "default" })
  expect(session.process).toBe("none")
  expect([await stage.has(), stage.rebuilt]).toEqual(["slow calm", true])
})

test("an agent that cannot put an option back for now, and says why, is asked again", async () => {
  await using stage = new Coupled()
  const session = await stage.open({ permissionMode: "bypass" })
  await chooseOption(session, "pace", "never")
  expect(await stage.has()).toBe("fast never")
  await closeProcess(session)
  await patchSession(session, { permissionMode: "default" })
  stage.rules({ fails: ["pace"] })
  for (const n of [1, 2, 3]) expect((await stage.run(`try ${n}`)).error?.message).toContain("the network is down")
  expect(stage.rebuilt).toBe(false)
  stage.rules({})
  expect([await stage.has(), stage.rebuilt]).toEqual(["fast quick", false])
})

test("of a change that is refused nothing stays, also what was taken before that", async () => {
  await using stage = new Coupled()
  const session = await stage.open()
  await expect(patchSession(session, { model: "slow", variant: "none" })).rejects.toThrow('no variant "none"')
  expect([session.record.model, await stage.has()]).toEqual([undefined, "fast quick"])
})

test("an option is not chosen in a permission mode that is being left", async () => {
  await using stage = new Coupled()
  const session = await stage.open({ permissionMode: "bypass" })
  const left = patchSession(session, { permissionMode: "default", model: "slow" })
  const chosen = chooseOption(session, "pace", "never")
  await expect(chosen).rejects.toMatchObject({ code: "permission_denied" })
  await left
  const { others = [] } = session.native?.passthrough?.settings() ?? {}
  expect(others.map(({ currentValue }) => currentValue)).toEqual(["calm"])
})

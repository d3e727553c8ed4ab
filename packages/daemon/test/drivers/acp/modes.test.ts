import { type AcpTraits, traitsOf } from "@sandbox-agent/schema/registry"
import { describe, expect, test } from "vitest"
import { chooseOption } from "../../../src/core/passthrough-options.ts"
import { closeProcess } from "../../../src/core/process.ts"
import { patchSession } from "../../../src/core/settings.ts"
import { builtinEntries } from "../../../src/registry/builtin.ts"
import { Moded } from "./moded.ts"

const denied = { code: "permission_denied" }

describe("modes of an agent nobody has described", () => {
  test("are listed as unverified and taken only under bypass, which they do not outlive", async () => {
    await using stage = new Moded({})
    expect(await stage.modes()).toEqual(["build", "code?", "architect?", "yolo?"])
    await expect(stage.open({ agentMode: "yolo" })).rejects.toMatchObject(denied)
    expect([...stage.core.sessions.list({}).sessions]).toEqual([])
    const session = await stage.open({ agentMode: "yolo", permissionMode: "bypass" })
    expect(await stage.does()).toBe("unasked in yolo")
    await patchSession(session, { permissionMode: "default" })
    expect(session.record).toMatchObject({ agentMode: "build", permissionMode: "default" })
    expect(stage.of("session.updated").map(({ data }) => data.agent_mode)).toContain("build")
    expect(await stage.does()).toBe("asked in code")
    for (const agentMode of ["architect", "yolo"])
      await expect(patchSession(session, { agentMode })).rejects.toMatchObject(denied)
    await expect(patchSession(session, { agentMode: "nope" })).rejects.toMatchObject({ code: "mode_not_supported" })
    await patchSession(session, { agentMode: "architect", permissionMode: "bypass" })
    expect(session.record).toMatchObject({ agentMode: "architect", permissionMode: "bypass" })
    expect(stage.wrongs()).toEqual([])
  })

  test("one that was chosen under bypass is let go when the agent starts again outside it", async () => {
    await using stage = new Moded({ capabilities: { resume: true } })
    const session = await stage.open({ agentMode: "yolo", permissionMode: "bypass" })
    await stage.does()
    await closeProcess(session)
    await patchSession(session, { permissionMode: "default" })
    expect(await stage.does()).toBe("asked in code")
    expect(session.record.agentMode).toBe("build")
    expect(stage.notes()).toEqual([expect.stringContaining("yolo is let go")])
  })
})

describe("an entry that knows the modes", () => {
  test("vouches for agent modes and hides those that ask less", async () => {
    await using stage = new Moded({ modes: { ask: "code", hidden: ["yolo"], agent: ["architect"] } })
    expect(await stage.modes()).toEqual(["build", "architect"])
    const session = await stage.open({ agentMode: "architect" })
    expect(await stage.does()).toBe("asked in architect")
    for (const permissionMode of ["default", "bypass"] as const)
      await expect(patchSession(session, { agentMode: "yolo", permissionMode })).rejects.toMatchObject({
        code: "mode_not_supported",
      })
    await patchSession(session, { agentMode: "build" })
    expect(await stage.does()).toBe("asked in code")
  })

  test("an agent that no longer has the mode in which it asks is not used", async () => {
    await using stage = new Moded({ modes: { ask: "manual" } })
    await expect(stage.open()).rejects.toThrow(/unavailable: the agent has no mode manual, in which it asks/)
    expect((await stage.open({ permissionMode: "bypass" }, "two")).record.status).toBe("idle")
  })
})

describe.each([
  ["nobody has described", {}],
  ["is described", { modes: { ask: "code", hidden: ["yolo"], agent: ["architect"] } }],
] as const)("an agent that %s and moves by itself", (_, traits) => {
  test("into a mode in which it asks less is put back, and the log says so", async () => {
    await using stage = new Moded(traits as AcpTraits)
    const session = await stage.open()
    expect(await stage.does("go yolo")).toBe("asked in code")
    expect(stage.notes()).toEqual(["the agent went into its mode yolo by itself and is put back"])
    expect(session.record).toMatchObject({ agentMode: "build", permissionMode: "default" })
    expect(stage.wrongs()).toEqual([])
  })
})

describe("words that look like a change of the mode", () => {
  test("are what they are from an agent that nobody described so", async () => {
    await using stage = new Moded({})
    const session = await stage.open()
    expect(await stage.run("word architect")).toMatchObject({ stop_reason: "end_turn" })
    expect(stage.said()).toBe("[MODE_UPDATE] architect was said")
    expect([session.record.agentMode, stage.notes()]).toEqual(["build", []])
    expect(stage.wrongs()).toEqual([])
  })

  test("are a change where the entry says so, if the agent has that mode", async () => {
    await using stage = new Moded({ modes: { ask: "code", agent: ["architect"] }, modeInWords: true })
    const session = await stage.open()
    await stage.run("word architect")
    expect([stage.said(), session.record.agentMode]).toEqual(["was said", "architect"])
    await stage.run("word nothing")
    expect([stage.said(), session.record.agentMode]).toEqual(["[MODE_UPDATE] nothing was said", "architect"])
    expect(stage.wrongs()).toEqual([])
  })

  test("are one of Gemini CLI", () => {
    const so = builtinEntries.filter((entry) => traitsOf(entry).modeInWords)
    expect(so.map(({ id }) => id)).toEqual(["gemini"])
  })
})

test("an agent that moves into a mode of its own that is vouched for stays there", async () => {
  await using stage = new Moded({ modes: { ask: "code", hidden: ["yolo"], agent: ["architect"] } })
  const session = await stage.open()
  await stage.run("move architect")
  expect(session.record.agentMode).toBe("architect")
  expect(await stage.does()).toBe("asked in architect")
  expect(stage.notes()).toEqual([])
})

describe("options of the agent's own", () => {
  test("that nobody vouches for are chosen only under bypass, and stand as before when it ends", async () => {
    await using stage = new Moded({ capabilities: { resume: true } })
    const session = await stage.open()
    const marks = session.native?.passthrough?.settings().others.map(({ id, _meta }) => [id, _meta])
    expect(marks).toEqual([
      ["approval", { "sandboxagent.dev": { unverified: true } }],
      ["verbosity", undefined],
    ])
    await expect(chooseOption(session, "approval", "never")).rejects.toMatchObject(denied)
    await chooseOption(session, "verbosity", "high")
    expect(await stage.does()).toBe("asked in code")
    await patchSession(session, { permissionMode: "bypass" })
    await chooseOption(session, "approval", "never")
    expect(session.record.native.chosen).toEqual({ verbosity: "high", approval: "never" })
    expect(await stage.does()).toBe("unasked in code")
    await patchSession(session, { permissionMode: "default" })
    expect(await stage.does()).toBe("asked in code")
    await closeProcess(session)
    expect(await stage.does()).toBe("asked in code")
    expect(session.native?.passthrough?.settings().others.map(({ currentValue }) => currentValue)).toEqual([
      "always",
      "high",
    ])
  })

  test("are chosen where the entry vouches for them", async () => {
    await using stage = new Moded({ options: ["approval"] })
    const session = await stage.open()
    await chooseOption(session, "approval", "never")
    expect(await stage.does()).toBe("unasked in code")
  })
})

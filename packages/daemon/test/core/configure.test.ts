import { setImmediate } from "node:timers/promises"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { expect, test } from "vitest"
import { forkSession } from "../../src/core/fork.ts"
import { closeProcess } from "../../src/core/process.ts"
import { assertMayLoosen } from "../../src/core/rights.ts"
import { patchSession } from "../../src/core/settings.ts"
import { type Stage, setStage } from "./stage.ts"

const updates = (stage: Stage) =>
  stage.of("session.updated").filter(({ data }) => data.model !== undefined || data.permission_mode !== undefined)

test("now: in force and logged at once, also in a running turn", async () => {
  await using stage = await setStage({ behaviour: { configure: async () => "now" } })
  await stage.running()
  expect(await patchSession(stage.session, { model: "big" })).toBe("now")
  expect(updates(stage).map(({ data }) => data.model)).toEqual(["big"])
  expect(stage.session.record.model).toBe("big")
})

test("next_turn: logged when the next turn starts, not when it was asked", async () => {
  await using stage = await setStage({ behaviour: { configure: async () => "next_turn" } })
  await stage.running()
  expect(await patchSession(stage.session, { model: "big" })).toBe("next_turn")
  expect(await patchSession(stage.session, { model: "big" })).toBe("next_turn")
  stage.say(() => stage.sink.turnEnded({ stop: "end_turn" }))
  expect([updates(stage), stage.session.record.model]).toEqual([[], undefined])
  await stage.running()
  const [update] = updates(stage)
  const started = stage.of("turn.started")[1]
  expect([update?.data.model, (update?.sequence ?? 0) < (started?.sequence ?? 0)]).toEqual(["big", true])
})

test("what was asked for before it came into force gives way to what is asked for after it", async () => {
  const answers: ("next_turn" | "now")[] = ["next_turn", "next_turn", "next_turn", "now"]
  await using stage = await setStage({ behaviour: { configure: async () => answers.shift() ?? "now" } })
  await stage.running()
  await patchSession(stage.session, { permissionMode: "bypass", variant: "high" })
  expect(await patchSession(stage.session, { permissionMode: "default" })).toBe("next_turn")
  await patchSession(stage.session, { permissionMode: "bypass", model: "big" })
  expect(await patchSession(stage.session, { permissionMode: "plan" })).toBe("now")
  stage.say(() => stage.sink.turnEnded({ stop: "end_turn" }))
  await stage.running()
  const { permissionMode, model, variant } = stage.session.record
  expect({ permissionMode, model, variant }).toEqual({ permissionMode: "plan", model: "big", variant: undefined })
  expect(updates(stage).map(({ data }) => data.permission_mode)).toEqual(["plan", undefined])
})

test("a change that is taken back before it came into force never does", async () => {
  await using stage = await setStage({ behaviour: { configure: async () => "next_turn" } })
  await stage.running()
  await patchSession(stage.session, { permissionMode: "bypass" })
  expect(await patchSession(stage.session, { permissionMode: "default" })).toBe("next_turn")
  stage.say(() => stage.sink.turnEnded({ stop: "end_turn" }))
  await stage.running()
  expect(stage.session.record.permissionMode).toBe("default")
})

test("what is taken back while the agent is asked for it is taken back, and other changes wait for nothing", async () => {
  const asked = Promise.withResolvers<"now">()
  await using stage = await setStage({ behaviour: { configure: () => asked.promise } })
  const { session } = stage
  const loosened = patchSession(session, { permissionMode: "bypass" })
  await stage.puppet.until("configure")
  const takenBack = patchSession(session, { permissionMode: "default" })
  await patchSession(session, { title: "New" })
  asked.resolve("now")
  expect(await Promise.all([loosened, takenBack])).toEqual(["now", "now"])
  expect([session.record.permissionMode, session.record.title]).toEqual(["default", "New"])
  expect(stage.puppet.asked).toMatchObject([
    { settings: { permissionMode: "bypass" } },
    { settings: { permissionMode: "default" } },
  ])
})

test("an agent cannot undo what its session was asked for and does not have yet, nor while it is asked", async () => {
  let applied = Promise.resolve<"next_turn" | "now">("next_turn")
  await using stage = await setStage({ behaviour: { configure: () => applied }, create: { permissionMode: "bypass" } })
  const { session } = stage
  const agent = { agentProcess: async () => ({ pid: 1 }) }
  await stage.running()
  await patchSession(session, { permissionMode: "plan" })
  await expect(assertMayLoosen(session, "bypass", agent)).rejects.toThrow("tried to change the permission mode")
  await patchSession(session, { permissionMode: "bypass" })
  const slow = Promise.withResolvers<"now">()
  applied = slow.promise
  const tightened = patchSession(session, { permissionMode: "plan" })
  const loosened = assertMayLoosen(session, "default", agent)
  slow.resolve("now")
  await tightened
  await expect(loosened).rejects.toThrow("tried to change the permission mode")
})

test.each(["bypass", "default"] as const)(
  "a fork has what its parent was asked for last, and may do no more than that in %s",
  async (permissionMode) => {
    await using stage = await setStage({
      behaviour: { configure: async () => "next_turn" },
      create: { permissionMode, model: "small", variant: "low" },
    })
    const { session, core } = stage
    await stage.running()
    const other = permissionMode === "bypass" ? "default" : "bypass"
    expect(await patchSession(session, { permissionMode: other, model: "big" })).toBe("next_turn")
    stage.say(() => stage.sink.turnEnded({ stop: "end_turn" }))
    const { session: fork } = await forkSession(core.sessions, session, { id: "fork" })
    expect(fork.record).toMatchObject({ permissionMode: "default", model: "big", variant: undefined })
  },
)

test("a variant given with another model is one of that model, also where it has the name of the old one", async () => {
  await using stage = await setStage({ behaviour: { configure: async () => "now" } })
  await stage.running()
  await patchSession(stage.session, { model: "big", variant: "high" })
  await patchSession(stage.session, { model: "small", variant: "high" })
  expect(stage.session.record).toMatchObject({ model: "small", variant: "high" })
})

test("reopen: waits for the end of the turn and of background work, then the next process has it", async () => {
  await using stage = await setStage({ behaviour: { configure: null } })
  await stage.running()
  stage.say(() => stage.sink.background(1))
  expect(await patchSession(stage.session, { model: "small" })).toBe("reopen")
  expect(await patchSession(stage.session, { model: "big" })).toBe("reopen") // the last request wins
  stage.say(() => stage.sink.turnEnded({ stop: "end_turn" }))
  expect(updates(stage)).toEqual([])
  stage.say(() => stage.sink.background(0))
  expect(updates(stage).map(({ data }) => data.model)).toEqual(["big"])
  await stage.running()
  expect(stage.puppet.openings.map(({ options }) => options.settings.model)).toEqual([undefined, "big"])
  expect(stage.puppet.opening.options.from.kind).toBe("resume")
})

test("what leaves bypass is asked at once, however long the new process is in coming", async () => {
  await using stage = await setStage({ behaviour: { configure: null }, create: { permissionMode: "bypass" } })
  await stage.running()
  stage.say(() => stage.sink.background(1))
  const { session } = stage
  expect(await patchSession(session, { permissionMode: "default" })).toBe("reopen")
  expect([session.record.permissionMode, await patchSession(session, { permissionMode: "default" })]).toEqual([
    "default",
    "reopen",
  ])
  const covers = { covers: [], always: [] }
  stage.say(() => stage.sink.ask({ key: "k", type: "permission", kind: "command", action: "Bash", ...covers }))
  expect(session.requests.size).toBe(1)
  stage.say(() => stage.sink.unask("k"))
  stage.say(() => stage.sink.turnEnded({ stop: "end_turn" }))
  stage.say(() => stage.sink.background(0))
  await stage.running()
  expect(stage.puppet.openings.map(({ options }) => options.settings.permissionMode)).toEqual(["bypass", "default"])
  expect(updates(stage).map(({ data }) => data.permission_mode)).toEqual(["default"])
})

test("reopen of an agent at rest happens at once", async () => {
  await using stage = await setStage({ behaviour: { configure: async () => "reopen" } })
  expect(await patchSession(stage.session, { permissionMode: "bypass" })).toBe("reopen")
  expect(updates(stage).map(({ data }) => data.permission_mode)).toEqual(["bypass"])
  await stage.running()
  expect(stage.puppet.openings.map(({ options }) => options.settings.permissionMode)).toEqual(["default", "bypass"])
})

test("the new process waits until the old one is gone", async () => {
  const closed = Promise.withResolvers<void>()
  await using stage = await setStage({ behaviour: { configure: null, close: () => closed.promise } })
  await patchSession(stage.session, { model: "big" })
  await stage.post("hi")
  const starts = () => stage.of("session.updated").filter(({ data }) => data.agent_process === "starting").length
  await stage.until("session.updated", () => starts() === 2)
  for (let i = 0; i < 5; i++) await setImmediate()
  expect(stage.puppet.openings).toHaveLength(1)
  closed.resolve()
  await stage.puppet.until("send")
  expect(stage.puppet.openings).toHaveLength(2)
})

test("a change asked for later is in the process that is started after a loss", async () => {
  await using stage = await setStage({ behaviour: { configure: async () => "next_turn" } })
  await stage.running()
  await patchSession(stage.session, { model: "big" })
  stage.sink.gone({ code: 1 })
  await stage.running()
  expect(stage.puppet.opening.options.settings.model).toBe("big")
  expect(updates(stage).map(({ data }) => data.model)).toEqual(["big"])
})

test.each(["next_turn", "reopen"] as const)(
  "a change that waits (%s) is in force after a restart, too",
  async (when) => {
    await using stage = await setStage({ kind: "sqlite", behaviour: { configure: async () => when } })
    await stage.running()
    await patchSession(stage.session, { model: "small", agentMode: "plan", variant: "low" })
    await patchSession(stage.session, { model: "big", variant: "high" })
    await using next = stage.afterKill()
    expect(next.session.record).toMatchObject({ agentMode: "build", permissionMode: "default" })
    await next.running()
    expect(next.puppet.opening.options.settings).toMatchObject({ agentMode: "plan", model: "big", variant: "high" })
    expect(updates(next).map(({ data }) => data)).toEqual([{ agent_mode: "plan", model: "big", variant: "high" }])
    // Said once: what was changed since is not undone by another restart.
    await closeProcess(next.session)
    await patchSession(next.session, { permissionMode: "plan" })
    await using last = next.afterKill()
    await last.running()
    expect(last.puppet.opening.options.settings).toMatchObject({ model: "big", permissionMode: "plan" })
    expect(updates(last)).toHaveLength(2)
  },
)

test("a change that waits and is taken back, or asked for anew, is as it was asked last after a restart", async () => {
  await using stage = await setStage({ kind: "sqlite", behaviour: { configure: async () => "next_turn" } })
  await stage.running()
  await patchSession(stage.session, { permissionMode: "bypass", model: "big" })
  await patchSession(stage.session, { permissionMode: "default" })
  await using next = stage.afterKill()
  await closeProcess(next.session)
  await patchSession(next.session, { permissionMode: "plan" })
  await next.running()
  expect(next.puppet.opening.options.settings).toMatchObject({ permissionMode: "plan", model: "big" })
})

test("a process lost while it is asked is opened again with the change", async () => {
  await using stage = await setStage({
    behaviour: {
      configure: async (_, { sink }) => {
        sink.gone({ code: 1 })
        return "next_turn"
      },
    },
  })
  await patchSession(stage.session, { model: "big" })
  expect(updates(stage).map(({ data }) => data.model)).toEqual(["big"])
})

test("a refused change leaves everything as it was", async () => {
  await using stage = await setStage({ behaviour: { configure: () => Promise.reject(new Error("no such model")) } })
  const before = stage.events().length
  await expect(patchSession(stage.session, { model: "big", title: "New" })).rejects.toThrow("no such model")
  expect([stage.session.record.model, stage.session.record.title, stage.events().length]).toEqual([
    undefined,
    undefined,
    before,
  ])
})

test("a change to what is already so asks nobody and logs nothing", async () => {
  await using stage = await setStage()
  expect(await patchSession(stage.session, { permissionMode: "default", agentMode: "build" })).toBe("now")
  expect([stage.puppet.asked, updates(stage)]).toEqual([[], []])
})

test("a change that comes through after the session was deleted leaves nothing behind", async () => {
  const asked = Promise.withResolvers<"now">()
  await using stage = await setStage({ behaviour: { configure: () => asked.promise } })
  const { session, core } = stage
  const patched = patchSession(session, { model: "big" })
  await stage.puppet.until("configure")
  await core.sessions.delete(session)
  core.context.store.flush() // its rows are gone
  asked.resolve("now")
  await patched
  core.context.store.flush()
  const left = core.context.store.db.query("SELECT count(*) AS rows FROM log WHERE uid = ?").get(session.record.uid)
  expect(left).toEqual({ rows: 0 })
})

test("an agent that does not run is asked: it is started for it, and what it refuses changes nothing", async () => {
  const refused = new SandboxAgentError("invalid_request", "no such model")
  const takes = (model: string | undefined) => model === undefined || model === "big"
  await using stage = await setStage({
    behaviour: {
      open: async ({ options }) => {
        if (!takes(options.settings.model)) throw refused
      },
      configure: async ({ model }) => {
        if (!takes(model)) throw refused
        return "now"
      },
    },
  })
  const { session, puppet } = stage
  await closeProcess(session)
  await expect(patchSession(session, { model: "none", title: "T" })).rejects.toBe(refused)
  expect([session.record.model, session.record.title, session.record.error]).toEqual([undefined, undefined, undefined])
  await closeProcess(session)
  expect(await patchSession(session, { model: "big" })).toBe("now")
  expect([session.record.model, puppet.openings.length]).toEqual(["big", 3])
  // One that it could have once, and no longer can, is cured by another.
  session.record.model = "gone"
  await closeProcess(session)
  await expect(patchSession(session, { model: "none" })).rejects.toBe(refused)
  await patchSession(session, { model: "big" })
  expect([session.record.model, session.process]).toEqual(["big", "live"])
})

test("what an agent that cannot be used could not say is tried with the next message", async () => {
  let broken = false
  const open = async () => {
    if (broken) throw new SandboxAgentError("unavailable", "no key")
  }
  await using stage = await setStage({ behaviour: { open } })
  broken = true
  await closeProcess(stage.session)
  expect(await patchSession(stage.session, { model: "big" })).toBe("now")
  broken = false
  await stage.running()
  expect(stage.puppet.opening.options.settings.model).toBe("big")
})

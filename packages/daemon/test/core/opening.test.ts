import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { expect, test } from "vitest"
import { terminateSession } from "../../src/core/ending.ts"
import { closeProcess } from "../../src/core/process.ts"
import { checkLog } from "./checks.ts"
import { type Stage, setStage } from "./stage.ts"

const never = () => new Promise<never>(() => {})
const impatient = { openMs: 20 }
const processes = (stage: Stage) => stage.of("session.updated").flatMap(({ data }) => data.agent_process ?? [])

test("an open that fails leaves the session standing, says why, and the next message tries again", async () => {
  let broken = true
  const open = async () => {
    if (broken) throw new SandboxAgentError("unavailable", "no key", { hint: "log in" })
  }
  await using stage = await setStage({ behaviour: { open } })
  expect([stage.healthy, stage.session.status, stage.session.process]).toEqual([false, "idle", "none"])
  expect(stage.of("error")[0]?.data).toEqual({ message: "no key", code: "unavailable" })
  expect(stage.session.record.error).toMatchObject({ code: "unavailable", hint: "log in", agent: "puppet" })
  broken = false
  await stage.running()
  expect([stage.session.record.error, stage.session.process]).toEqual([undefined, "live"])
  expect(checkLog(stage.events(), { open: true })).toEqual([])
})

test("a message to an agent that will not open fails, and the one after it is tried again", async () => {
  await using stage = await setStage({ behaviour: { open: () => Promise.reject(new Error("broken")) } })
  await stage.post("one")
  await stage.post("two")
  await stage.until("turn.ended", () => stage.of("turn.ended").length === 2)
  expect(stage.of("message.updated").filter(({ data }) => data.state === "failed")).toHaveLength(2)
  expect(stage.puppet.openings).toHaveLength(3)
  expect(checkLog(stage.events())).toEqual([])
})

test("an agent that never opens is given up after openMs", async () => {
  await using stage = await setStage({ behaviour: { open: never }, deadlines: impatient })
  expect([stage.healthy, stage.session.record.error?.code, stage.session.status]).toEqual([false, "timeout", "idle"])
  expect(processes(stage)).toEqual(["starting", "none"])
})

test("one that opens after all has no owner: it is killed, and what it says comes to nothing", async () => {
  const late = Promise.withResolvers<void>()
  await using stage = await setStage({ behaviour: { open: () => late.promise }, deadlines: impatient })
  const events = stage.events().length
  late.resolve()
  await stage.puppet.until("kill")
  stage.say(() => stage.sink.turnStarted({ origin: "agent" }))
  expect(stage.events()).toHaveLength(events)
  expect(stage.session.native).toBeUndefined()
})

test("gone while opening: create answers at once, and the next message opens anew", async () => {
  let opened = 0
  const open = ({ sink }: { sink: Stage["sink"] }) => {
    if (opened++ > 0) return Promise.resolve()
    sink.gone({ code: 127, message: "no such program" })
    return never()
  }
  await using stage = await setStage({ behaviour: { open } })
  expect([stage.healthy, stage.session.record.error?.code, stage.session.status]).toEqual([
    false,
    "agent_process_exited",
    "idle",
  ])
  await stage.running()
  expect(stage.puppet.openings).toHaveLength(2)
  expect(checkLog(stage.events(), { open: true })).toEqual([])
})

test("terminate while opening ends the session at once and opens nothing more", async () => {
  await using stage = await setStage()
  await closeProcess(stage.session)
  stage.puppet.behaviour.open = never
  await stage.post("hi")
  await stage.until("session.updated", () => stage.session.opening !== undefined)
  await terminateSession(stage.session)
  expect(stage.session.status).toBe("ended")
  expect(stage.of("message.updated").at(-1)?.data.state).toBe("failed")
  expect(checkLog(stage.events())).toEqual([])
})

test("what an old opening says has no effect, but its lines are kept", async () => {
  await using stage = await setStage()
  const old = stage.sink
  await closeProcess(stage.session)
  await stage.running()
  const { rawCount } = stage.session
  const before = stage.events().length
  old.line('{"late":"line"}', () => {
    old.turnEnded({ stop: "end_turn" })
    old.open({ key: "ghost", kind: "message" })
    old.gone({ code: 1 })
  })
  old.ended()
  expect(stage.events()).toHaveLength(before)
  expect(stage.session.rawCount).toBe(rawCount + 1)
  stage.core.context.store.flush()
  expect(stage.core.context.reader.rawLine(stage.session.record.uid, rawCount + 1)).toBe('{"late":"line"}')
  expect([stage.session.status, stage.session.process]).toEqual(["running", "live"])
})

test("an agent that dies at rest is started again, resumed, by the next message", async () => {
  await using stage = await setStage()
  stage.sink.gone({ code: 0 })
  expect(stage.session.status).toBe("idle")
  await stage.running()
  expect(stage.puppet.openings.map(({ options }) => options.from.kind)).toEqual(["new", "resume"])
  expect(processes(stage)).toEqual(["starting", "live", "none", "starting", "live"])
})

test("lines nobody understands become unknown items, lines that throw are told, never a crash", async () => {
  await using stage = await setStage()
  stage.say(() => "unknown", '{"type":"novelty"}')
  stage.say(() => "unknown", "not JSON")
  stage.say(() => {
    throw new TypeError("no such field")
  }, "garbage")
  stage.say(() => undefined, "known and meaningless")
  const unknown = stage.of("item.completed").map(({ data }) => [data.item.kind, data.item.content])
  expect(unknown).toEqual([
    ["unknown", [{ type: "json", json: { type: "novelty" } }]],
    ["unknown", [{ type: "json", json: "not JSON" }]],
  ])
  expect(stage.of("agent.unparsed").map(({ data }) => data.error)).toEqual(["TypeError: no such field"])
})

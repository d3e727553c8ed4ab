import { delimiter, dirname } from "node:path"
import type { Agent } from "@sandbox-agent/schema/agent"
import { type ScriptedModel, startScriptedModel } from "@sandbox-agent/scripted-model"
import { codexBinary } from "@sandbox-agent/test-agents/codex"
import { expect, test } from "vitest"
import { gone, until } from "../agents/processes.ts"
import { expectSoundLog } from "../api/sound-log.ts"
import { checkLog } from "../core/checks.ts"
import { seeded } from "../durability/survivor.ts"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { carriersOf } from "./carriers.ts"
import { word } from "./claude-model.ts"
import { type Moment, type SceneName, scenes } from "./claude-scenes.ts"
import { CodexLane } from "./codex-lane.ts"
import { said, wishes } from "./codex-model.ts"

/** Another number tries other moments. */
const SEED = Number(process.env.KILL_SEED ?? 42)
const ROUNDS = 4
/** Sessions whose servers are killed side by side. */
const LANES = 3
const FRESH = 6
const timeout = 600_000

interface Arena extends AsyncDisposable {
  daemon: TestDaemon
  model: ScriptedModel
}

async function openArena(): Promise<Arena> {
  const model = await startScriptedModel({ script: [wishes] })
  const path = [dirname(codexBinary()), process.env.PATH].join(delimiter)
  const daemon = await startDaemon({ env: { PATH: path } })
  return {
    daemon,
    model,
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]()
      await model.close()
    },
  }
}

/** The kill, and everything that has to hold after it. */
async function strikeAt(lane: CodexLane, { hit, mayEnd, queued = [], meanwhile }: Moment): Promise<void> {
  const killed = await lane.strike()
  await meanwhile?.()
  const end = await lane.ended(hit)
  if (!mayEnd || end.stop_reason !== "end_turn")
    expect(end).toMatchObject({ stop_reason: "error", error: { code: "agent_process_exited", signal: "SIGKILL" } })
  for (const next of queued) expect(await lane.ended(next)).toMatchObject({ stop_reason: "end_turn" })
  if (end.stop_reason === "end_turn") await lane.processLost()
  for (const { pid } of killed) await gone(pid)
}

/** Nothing hangs, and the conversation goes on where it was. */
async function goesOn(lane: CodexLane, model: ScriptedModel): Promise<void> {
  expect(await lane.api.ok("GET", `/v1/sessions/${lane.id}/pending`)).toEqual({ permissions: [], questions: [] })
  const { items } = await lane.api.items(lane.id)
  expect(items.filter(({ status }) => status === "in_progress")).toEqual([])
  const { messageId, message } = await lane.post("say")
  expect(await lane.ended(messageId)).toMatchObject({ stop_reason: "end_turn" })
  const { nativeSessionId, status, queue } = await lane.api.session(lane.id)
  expect([nativeSessionId, status, queue]).toEqual([lane.native, "idle", []])
  expect(said(await lane.asked(message))).toContain(lane.first)
  expect(model.unexpected).toEqual([])
}

async function expectClean(lane: CodexLane): Promise<void> {
  const events = await lane.api.events(lane.id)
  expect(checkLog(events)).toEqual([])
  expectSoundLog(events, (await lane.api.items(lane.id)).items)
  expect(events.filter(({ type }) => type === "agent.unparsed")).toEqual([])
  const unknown = events.filter((event) => event.type === "item.started" && event.data.item.kind === "unknown")
  expect(unknown).toEqual([])
}

/** Only the servers that live are left, and none after the daemon. */
async function expectNoOrphans({ daemon }: Arena, lanes: readonly CodexLane[]): Promise<void> {
  const ours = () => [...new Set(lanes.map(({ home }) => home))].flatMap((home) => carriersOf("", home))
  await until(() => ours().every(({ parent }) => parent === daemon.pid), "the end of what the servers left behind")
  const left = ours()
  await daemon.stop()
  for (const { pid } of left) await gone(pid)
  expect(ours()).toEqual([])
}

async function begin(lane: CodexLane): Promise<CodexLane> {
  await lane.create()
  const { messageId, message } = await lane.post("say")
  expect(await lane.ended(messageId)).toMatchObject({ stop_reason: "end_turn" })
  lane.first = message
  lane.native = (await lane.api.session(lane.id)).nativeSessionId
  return lane
}

test(`killed at any moment of a turn, Codex comes back with its conversation (seed ${SEED})`, { timeout }, async () => {
  await using arena = await openArena()
  const { daemon, model } = arena
  const random = seeded(SEED)
  const names = Object.keys(scenes) as SceneName[]
  const plan = Array.from({ length: ROUNDS }, () => names)
    .flat()
    .map((name) => ({ name, place: random() }))
    .sort((a, b) => a.place - b.place)
  const run = async (n: number): Promise<CodexLane> => {
    const lane = await begin(new CodexLane(daemon, model, `lane-${n}`, seeded(SEED + n)))
    for (const { name } of plan.filter((_, i) => i % LANES === n))
      await inScene(name, lane, async () => {
        await strikeAt(lane, await scenes[name](lane))
        await goesOn(lane, model)
      })
    return lane
  }
  const lanes = await Promise.all(Array.from({ length: LANES }, (_, n) => run(n)))
  for (const lane of lanes) await expectClean(lane)
  await expectNoOrphans(arena, lanes)
})

test(`killed in its first turn, before or after anything was written (seed ${SEED})`, { timeout }, async () => {
  await using arena = await openArena()
  const { daemon, model } = arena
  const run = async (n: number): Promise<CodexLane> => {
    const lane = new CodexLane(daemon, model, `fresh-${n}`, seeded(SEED + n))
    await lane.create()
    await inScene("first turn", lane, async () => {
      const { messageId } = await lane.post("whole")
      if (n % 2 === 0) await lane.ended(messageId)
      else await Bun.sleep(lane.random() * 500)
      const killed = await lane.strike()
      await lane.processLost()
      await lane.ended(messageId)
      for (const { pid } of killed) await gone(pid)
      // Resumed if it had written anything, begun anew otherwise.
      const next = await lane.post("say")
      expect(await lane.ended(next.messageId)).toMatchObject({ stop_reason: "end_turn" })
      lane.first = next.message
      lane.native = (await daemon.api.session(lane.id)).nativeSessionId
      await goesOn(lane, model)
    })
    return lane
  }
  const lanes: CodexLane[] = []
  for (let n = 0; n < FRESH; n += 2) lanes.push(...(await Promise.all([run(n), run(n + 1)])))
  for (const lane of lanes) await expectClean(lane)
  await expectNoOrphans(arena, lanes)
})

test("a server that dies with five sessions in five states is started again once, for all of them", {
  timeout,
}, async () => {
  await using arena = await openArena()
  const { daemon, model } = arena
  const states = ["idle", "text", "run", "ask", "question"] as const
  const lanes = await Promise.all(
    states.map((state) => begin(new CodexLane(daemon, model, state, seeded(SEED), "home-shared"))),
  )
  const [idle, text, run, ask, question] = lanes as [CodexLane, CodexLane, CodexLane, CodexLane, CodexLane]
  const info = () => daemon.api.ok<Agent>("GET", "/v1/agents/codex")
  const before = (await info()).process
  expect(before.restartCount).toBe(0)
  for (const round of [1, 2]) {
    idle.offset = (await idle.api.session(idle.id)).lastSequence
    const hits = [
      { lane: text, ...(await text.post("text", 3)) },
      { lane: run, ...(await run.post("run")) },
      { lane: ask, ...(await ask.post("ask")) },
      { lane: question, ...(await question.post("question")) },
    ]
    await text.until("item.delta", ({ data }) => data.delta.includes(word(3)))
    const { permission_id } = (await run.until("permission.requested")).data
    await run.api.ok("POST", `/v1/sessions/${run.id}/permissions/${permission_id}/reply`, { reply: "once" })
    await until(() => run.carriers().some(({ name }) => name.startsWith("python")), "the tool's process")
    await ask.until("permission.requested")
    await question.until("question.requested")
    const killed = await idle.strike()
    for (const { lane, messageId } of hits)
      expect(await lane.ended(messageId)).toMatchObject({
        stop_reason: "error",
        error: { code: "agent_process_exited", signal: "SIGKILL" },
      })
    await idle.processLost()
    for (const { pid } of killed) await gone(pid)
    await Promise.all(lanes.map((lane) => goesOn(lane, model)))
    const { restartCount, pid } = (await info()).process
    expect([restartCount, pid === before.pid]).toEqual([round, false])
  }
  for (const lane of lanes) await expectClean(lane)
  await expectNoOrphans(arena, lanes)
})

/** A failure tells which kill it was, and how the log ended. */
async function inScene(name: string, lane: CodexLane, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const tail = (await lane.api.events(lane.id)).slice(-15).map(({ type, data }) => `${type} ${JSON.stringify(data)}`)
    throw new Error(`${name}, ${lane.id}, seed ${SEED}:\n${tail.map((line) => line.slice(0, 300)).join("\n")}`, {
      cause: error,
    })
  }
}

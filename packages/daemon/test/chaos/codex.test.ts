import { delimiter, dirname } from "node:path"
import type { Agent } from "@sandbox-agent/schema/agent"
import { type ScriptedModel, startScriptedModel } from "@sandbox-agent/scripted-model"
import { codexBinary } from "@sandbox-agent/test-agents/codex"
import { rounds } from "@sandbox-agent/test-agents/extent"
import { expect, test } from "vitest"
import { gone } from "../agents/processes.ts"
import { seeded } from "../durability/survivor.ts"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { expectClean, expectNoOrphans, goesOn, inScene, strikeAt } from "./aftermath.ts"
import { CodexLane } from "./codex-lane.ts"
import { type SceneName, scenes } from "./scenes.ts"
import { codexTongue } from "./tongues.ts"
import { wishesIn, word } from "./wishes.ts"

/** Another number tries other moments. */
const SEED = Number(process.env.KILL_SEED ?? 42)
const ROUNDS = rounds(1, 4)
/** Sessions whose servers are killed side by side. */
const LANES = 3
const FRESH = rounds(2, 6)
const timeout = 600_000

interface Arena extends AsyncDisposable {
  daemon: TestDaemon
  model: ScriptedModel
}

async function openArena(): Promise<Arena> {
  const model = await startScriptedModel({ script: [wishesIn(codexTongue)] })
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

const homesOf = (lanes: readonly CodexLane[]): string[] => lanes.map(({ home }) => home)

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
    const lane = new CodexLane(daemon, model, `lane-${n}`, seeded(SEED + n))
    await lane.begin()
    for (const { name } of plan.filter((_, i) => i % LANES === n))
      await inScene(name, lane, async () => {
        await strikeAt(lane, await scenes[name](lane))
        await goesOn(lane)
      })
    return lane
  }
  const lanes = await Promise.all(Array.from({ length: LANES }, (_, n) => run(n)))
  await expectClean(lanes)
  expect(model.unexpected).toEqual([])
  await expectNoOrphans(daemon, homesOf(lanes))
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
      await goesOn(lane)
    })
    return lane
  }
  const lanes: CodexLane[] = []
  for (let n = 0; n < FRESH; n += 2) lanes.push(...(await Promise.all([run(n), run(n + 1)])))
  await expectClean(lanes)
  expect(model.unexpected).toEqual([])
  await expectNoOrphans(daemon, homesOf(lanes))
})

test("a server that dies with five sessions in five states is started again once, for all of them", {
  timeout,
}, async () => {
  await using arena = await openArena()
  const { daemon, model } = arena
  const states = ["idle", "text", "run", "ask", "question"] as const
  const lanes = states.map((state) => new CodexLane(daemon, model, state, seeded(SEED), "home-shared"))
  await Promise.all(lanes.map((lane) => lane.begin()))
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
    await run.api.ok("POST", await run.permissionPath(), { reply: "once" })
    await run.running()
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
    await Promise.all(lanes.map((lane) => goesOn(lane)))
    const { restartCount, pid } = (await info()).process
    expect([restartCount, pid === before.pid]).toEqual([round, false])
  }
  await expectClean(lanes)
  expect(model.unexpected).toEqual([])
  await expectNoOrphans(daemon, homesOf(lanes))
})

import { mkdirSync, readFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { type ScriptedModel, startScriptedModel } from "@sandbox-agent/scripted-model"
import { claudeBinary, newest } from "@sandbox-agent/test-agents/claude"
import { expect, test } from "vitest"
import { sessionFile } from "../../src/drivers/claude/home.ts"
import { gone, until } from "../agents/processes.ts"
import { expectSoundLog } from "../api/sound-log.ts"
import { checkLog } from "../core/checks.ts"
import { seeded } from "../durability/survivor.ts"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { carriersOf } from "./carriers.ts"
import { Lane } from "./claude-lane.ts"
import { wishes, word } from "./claude-model.ts"
import { type Moment, type SceneName, scenes } from "./claude-scenes.ts"

/** Another number tries other moments. */
const SEED = Number(process.env.KILL_SEED ?? 42)
const ROUNDS = 4
/** Sessions whose agents are killed side by side. */
const LANES = 3
const FRESH = 10
const timeout = 600_000

interface Arena extends AsyncDisposable {
  daemon: TestDaemon
  model: ScriptedModel
  home: string
}

async function openArena(): Promise<Arena> {
  const program = claudeBinary(newest)
  const model = await startScriptedModel({ script: [wishes] })
  const path = [dirname(program), process.env.PATH].join(delimiter)
  const daemon = await startDaemon({ env: { PATH: path } })
  const home = join(daemon.dataDir, "home")
  mkdirSync(home)
  return {
    daemon,
    model,
    home,
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]()
      await model.close()
    },
  }
}

/** The kill, and everything that has to hold after it. */
async function strikeAt(lane: Lane, { hit, mayEnd, queued = [], meanwhile }: Moment): Promise<void> {
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
async function goesOn(lane: Lane, model: ScriptedModel): Promise<void> {
  expect(await lane.api.ok("GET", `/v1/sessions/${lane.id}/pending`)).toEqual({ permissions: [], questions: [] })
  const { items } = await lane.api.items(lane.id)
  expect(items.filter(({ status }) => status === "in_progress")).toEqual([])
  const { messageId, message } = await lane.post("say")
  expect(await lane.ended(messageId)).toMatchObject({ stop_reason: "end_turn" })
  const { nativeSessionId, status, queue } = await lane.api.session(lane.id)
  expect([nativeSessionId, status, queue]).toEqual([lane.native, "idle", []])
  const request = await lane.asked(message)
  expect(JSON.stringify(request.body.messages)).toContain(lane.first)
  expect(model.unexpected).toEqual([])
}

async function expectClean(lane: Lane): Promise<void> {
  const events = await lane.api.events(lane.id)
  expect(checkLog(events)).toEqual([])
  expectSoundLog(events, (await lane.api.items(lane.id)).items)
  expect(events.filter(({ type }) => type === "agent.unparsed")).toEqual([])
  const unknown = events.filter((event) => event.type === "item.started" && event.data.item.kind === "unknown")
  expect(unknown).toEqual([])
}

/** Only the agents that live are left, and none after the daemon. */
async function expectNoOrphans({ daemon, home }: Arena): Promise<void> {
  const ours = () => carriersOf("", home)
  await until(() => ours().every(({ parent }) => parent === daemon.pid), "the end of what the agents left behind")
  const left = ours()
  await daemon.stop()
  for (const { pid } of left) await gone(pid)
  expect(ours()).toEqual([])
}

function shuffled<T>(list: readonly T[], random: () => number): T[] {
  return list
    .map((value) => ({ value, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value)
}

test(`killed at any moment of a turn, Claude Code comes back with its conversation (seed ${SEED})`, {
  timeout,
}, async () => {
  await using arena = await openArena()
  const { daemon, model, home } = arena
  const random = seeded(SEED)
  const names = Object.keys(scenes) as SceneName[]
  const plan = shuffled(Array.from({ length: ROUNDS }, () => names).flat(), random)
  const run = async (n: number): Promise<Lane> => {
    const lane = new Lane(daemon, model, `lane-${n}`, seeded(SEED + n))
    await lane.create(home)
    const { messageId, message } = await lane.post("say")
    expect(await lane.ended(messageId)).toMatchObject({ stop_reason: "end_turn" })
    lane.first = message
    lane.native = (await daemon.api.session(lane.id)).nativeSessionId
    for (const name of plan.filter((_, i) => i % LANES === n)) {
      await inScene(name, lane, async () => {
        await strikeAt(lane, await scenes[name](lane))
        await goesOn(lane, model)
      })
    }
    return lane
  }
  const lanes = await Promise.all(Array.from({ length: LANES }, (_, n) => run(n)))
  for (const lane of lanes) await expectClean(lane)
  await expectNoOrphans(arena)
})

test(`killed in its first turn, before or after anything was written (seed ${SEED})`, { timeout }, async () => {
  await using arena = await openArena()
  const { daemon, model, home } = arena
  const run = async (n: number): Promise<Lane> => {
    const lane = new Lane(daemon, model, `fresh-${n}`, seeded(SEED + n))
    await lane.create(home)
    await inScene("first turn", lane, async () => {
      const { messageId, message } = await lane.post("whole")
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
      expect(message).not.toBe(lane.first)
      await goesOn(lane, model)
    })
    await daemon.api.ok("POST", `/v1/sessions/${lane.id}/terminate`, {})
    return lane
  }
  const lanes: Lane[] = []
  for (let n = 0; n < FRESH; n += 2) lanes.push(...(await Promise.all([run(n), run(n + 1)])))
  for (const lane of lanes) await expectClean(lane)
  await expectNoOrphans(arena)
})

test("killed in its first answer with the message on disk, it is resumed", { timeout }, async () => {
  await using arena = await openArena()
  const { daemon, model, home } = arena
  const lane = new Lane(daemon, model, "written", seeded(SEED))
  await lane.create(home)
  const native = (await daemon.api.session(lane.id)).nativeSessionId ?? ""
  const { messageId, message } = await lane.post("text", 5)
  await lane.until("item.delta", ({ data }) => data.delta.includes(word(5)))
  const written = () => readFileSync(sessionFile(join(home, ".claude"), native) ?? "/dev/null", "utf8")
  await until(() => written().includes(message), "the message in the transcript")
  await strikeAt(lane, { hit: messageId })
  lane.native = native
  lane.first = message
  await goesOn(lane, model)
})

/** A failure tells which kill it was, and how the log ended. */
async function inScene(name: string, lane: Lane, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const tail = (await lane.api.events(lane.id)).slice(-15).map(({ type, data }) => `${type} ${JSON.stringify(data)}`)
    throw new Error(`${name}, ${lane.id}, seed ${SEED}:\n${tail.map((line) => line.slice(0, 300)).join("\n")}`, {
      cause: error,
    })
  }
}

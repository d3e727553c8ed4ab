import { mkdirSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import type { Agent } from "@sandbox-agent/schema/agent"
import { type ScriptedModel, startScriptedModel } from "@sandbox-agent/scripted-model"
import { opencodeBinary } from "@sandbox-agent/test-agents/opencode"
import { expect, test } from "vitest"
import { gone, until } from "../agents/processes.ts"
import { expectSoundLog } from "../api/sound-log.ts"
import { checkLog } from "../core/checks.ts"
import { offlineEnvironment } from "../drivers/opencode/environment.ts"
import { seeded } from "../durability/survivor.ts"
import { scratch, startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { carriersOf } from "./carriers.ts"
import { Lane } from "./opencode-lane.ts"
import { opencodeWishes } from "./opencode-model.ts"
import { type Moment, type SceneName, scenes } from "./opencode-scenes.ts"

/** Another number tries other moments. */
const SEED = Number(process.env.KILL_SEED ?? 42)
/** Each kill hits every lane: fifty in all. */
const ROUNDS = 5
const LANES = 10
const timeout = 900_000

class Arena implements AsyncDisposable {
  private constructor(
    readonly daemon: TestDaemon,
    readonly model: ScriptedModel,
    readonly home: string,
  ) {}

  static async open(): Promise<Arena> {
    const model = await startScriptedModel({ script: [opencodeWishes] })
    const home = join(scratch(), "home")
    mkdirSync(home)
    const path = [dirname(opencodeBinary()), process.env.PATH].join(delimiter)
    const daemon = await startDaemon({ env: { ...offlineEnvironment(home, model.url), PATH: path } })
    return new Arena(daemon, model, home)
  }

  async lanes(count: number): Promise<Lane[]> {
    const lanes = Array.from({ length: count }, (_, n) => {
      return new Lane(this.daemon, this.model, this.home, `lane-${n}`, seeded(SEED + n))
    })
    await Promise.all(lanes.map((lane) => lane.create()))
    return lanes
  }

  server = async (): Promise<Agent["process"]> =>
    (await this.daemon.api.ok<Agent>("GET", "/v1/agents/opencode")).process

  /** SIGKILL to the server alone; gives it and all it had started. */
  async strike(): Promise<number[]> {
    const { pid } = await this.server()
    const all = carriersOf("", this.home).map((carrier) => carrier.pid)
    process.kill(pid ?? Number.NaN, "SIGKILL")
    return all
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.daemon[Symbol.asyncDispose]()
    await this.model.close()
  }
}

/** Everything that has to hold for one session after the kill. */
async function isHit(lane: Lane, { hit, mayEnd, queued = [] }: Moment): Promise<void> {
  if (hit !== undefined) {
    const end = await lane.ended(hit)
    if (!mayEnd || end.stop_reason !== "end_turn")
      expect(end).toMatchObject({ stop_reason: "error", error: { code: "agent_process_exited", signal: "SIGKILL" } })
  }
  for (const next of queued) expect(await lane.ended(next)).toMatchObject({ stop_reason: "end_turn" })
}

/** Nothing hangs, and the conversation goes on where it was. */
async function goesOn(lane: Lane): Promise<void> {
  expect(await lane.api.ok("GET", `/v1/sessions/${lane.id}/pending`)).toEqual({ permissions: [], questions: [] })
  const { items } = await lane.api.items(lane.id)
  expect(items.filter(({ status }) => status === "in_progress")).toEqual([])
  const { messageId, message } = await lane.post("say")
  expect(await lane.ended(messageId)).toMatchObject({ stop_reason: "end_turn" })
  const { nativeSessionId, status, queue } = await lane.api.session(lane.id)
  expect([nativeSessionId, status, queue]).toEqual([lane.native, "idle", []])
  expect(JSON.stringify((await lane.asked(message)).body.messages)).toContain(lane.first)
}

async function expectClean(arena: Arena, lanes: readonly Lane[]): Promise<void> {
  for (const lane of lanes) {
    const events = await lane.api.events(lane.id)
    expect(checkLog(events)).toEqual([])
    expectSoundLog(events, (await lane.api.items(lane.id)).items)
    expect(events.filter(({ type }) => type === "agent.unparsed")).toEqual([])
    const unknown = events.filter((event) => event.type === "item.started" && event.data.item.kind === "unknown")
    expect(unknown).toEqual([])
  }
  expect(arena.model.unexpected).toEqual([])
  const ours = () => carriersOf("", arena.home).filter(({ parent }) => parent !== arena.daemon.pid)
  await until(() => ours().every(({ name }) => !name.startsWith("python")), "the end of what the servers left behind")
  await arena.daemon.stop()
  await until(() => carriersOf("", arena.home).length === 0, "the end of all processes")
}

/** All at their moment, then the kill, then all go on; a failure tells which it was. */
async function round(arena: Arena, lanes: readonly Lane[], names: readonly SceneName[]): Promise<void> {
  const at = (n: number): SceneName => names[n] ?? "while it is idle"
  const moments = await Promise.all(lanes.map((lane, n) => inScene<Moment>(at(n), lane, () => scenes[at(n)](lane))))
  const killed = await arena.strike()
  await Promise.all(moments.map((moment) => moment.meanwhile?.()))
  await Promise.all(lanes.map((lane, n) => inScene(at(n), lane, () => isHit(lane, moments[n] ?? {}))))
  for (const pid of killed) await gone(pid)
  await Promise.all(lanes.map((lane, n) => inScene(at(n), lane, () => goesOn(lane))))
}

test(`a shared server killed at any moment of its sessions' turns (seed ${SEED})`, { timeout }, async () => {
  await using arena = await Arena.open()
  const lanes = await arena.lanes(LANES)
  const random = seeded(SEED)
  const all = Object.keys(scenes) as SceneName[]
  const { restartCount } = await arena.server()
  // Each of them first; then as it falls.
  await round(arena, lanes, all)
  for (let n = 1; n < ROUNDS; n++)
    await round(
      arena,
      lanes,
      lanes.map(() => all[Math.floor(random() * all.length)] as SceneName),
    )
  // Once for each death, not once for each session.
  expect((await arena.server()).restartCount - restartCount).toBe(ROUNDS)
  await expectClean(arena, lanes)
})

test("killed while it starts, again and again, it is started ever later, and comes at last", { timeout }, async () => {
  await using arena = await Arena.open()
  const [lane] = await arena.lanes(1)
  if (lane === undefined) throw new Error("no lane")
  lane.offset = (await lane.api.session(lane.id)).lastSequence
  await arena.strike()
  await lane.until("session.updated", ({ data }) => data.agent_process === "none")
  for (let n = 0; n < 3; n++) await inScene(`start ${n}`, lane, () => killStarting(arena, lane))
  await goesOn(lane)
  await expectClean(arena, [lane])
})

async function killStarting(arena: Arena, lane: Lane): Promise<void> {
  const { messageId } = await lane.post("hang")
  const server = () => carriersOf("", arena.home).find(({ parent }) => parent === arena.daemon.pid)
  await until(() => server() !== undefined, "a server")
  // No event tells how far a start has come.
  await Bun.sleep(lane.random() * 800)
  const { pid } = server() ?? { pid: Number.NaN }
  process.kill(pid, "SIGKILL")
  expect(await lane.ended(messageId)).toMatchObject({ stop_reason: "error", error: { code: "agent_process_exited" } })
  await gone(pid)
}

async function inScene<T>(name: string, lane: Lane, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const tail = (await lane.api.events(lane.id)).slice(-15).map(({ type, data }) => `${type} ${JSON.stringify(data)}`)
    throw new Error(`${name}, ${lane.id}, seed ${SEED}:\n${tail.map((line) => line.slice(0, 300)).join("\n")}`, {
      cause: error,
    })
  }
}

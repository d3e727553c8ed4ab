import { mkdirSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import type { Agent } from "@sandbox-agent/schema/agent"
import { type ScriptedModel, startScriptedModel } from "@sandbox-agent/scripted-model"
import { rounds } from "@sandbox-agent/test-agents/extent"
import { opencodeBinary } from "@sandbox-agent/test-agents/opencode"
import { expect, test } from "vitest"
import { gone, until } from "../agents/processes.ts"
import { offlineEnvironment } from "../drivers/opencode/environment.ts"
import { seeded } from "../durability/survivor.ts"
import { scratch, startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { expectClean, expectNoOrphans, goesOn, inScene, isHit, type Moment } from "./aftermath.ts"
import { carriersOf } from "./carriers.ts"
import { OpencodeLane } from "./opencode-lane.ts"
import { type SharedSceneName, sharedScenes } from "./shared-scenes.ts"
import { opencodeTongue } from "./tongues.ts"
import { wishesIn } from "./wishes.ts"

/** Another number tries other moments. */
const SEED = Number(process.env.KILL_SEED ?? 42)
/** Each kill hits every lane: fifty in a whole run. */
const ROUNDS = rounds(1, 5)
const LANES = 10
const timeout = 900_000

class Arena implements AsyncDisposable {
  private constructor(
    readonly daemon: TestDaemon,
    readonly model: ScriptedModel,
    readonly home: string,
  ) {}

  static async open(): Promise<Arena> {
    const model = await startScriptedModel({ script: [wishesIn(opencodeTongue)] })
    const home = join(scratch(), "home")
    mkdirSync(home)
    const path = [dirname(opencodeBinary()), process.env.PATH].join(delimiter)
    const daemon = await startDaemon({ env: { ...offlineEnvironment(home, model.url), PATH: path } })
    return new Arena(daemon, model, home)
  }

  async lanes(count: number): Promise<OpencodeLane[]> {
    const lanes = Array.from({ length: count }, (_, n) => {
      return new OpencodeLane(this.daemon, this.model, `lane-${n}`, seeded(SEED + n), this.home)
    })
    await Promise.all(lanes.map((lane) => lane.begin()))
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

async function expectAllWell({ daemon, model, home }: Arena, lanes: readonly OpencodeLane[]): Promise<void> {
  await expectClean(lanes)
  expect(model.unexpected).toEqual([])
  // OpenCode keeps helpers of its own; what it was told to run must not outlive it.
  await expectNoOrphans(daemon, [home], ({ name }) => !name.startsWith("python"))
}

/** All at their moment, then the kill, then all go on; a failure tells which it was. */
async function round(arena: Arena, lanes: readonly OpencodeLane[], names: readonly SharedSceneName[]): Promise<void> {
  const at = (n: number): SharedSceneName => names[n] ?? "while it is idle"
  const moments = await Promise.all(
    lanes.map((lane, n) => inScene<Moment>(at(n), lane, () => sharedScenes[at(n)](lane))),
  )
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
  const all = Object.keys(sharedScenes) as SharedSceneName[]
  const { restartCount } = await arena.server()
  // Each of them first; then as it falls.
  await round(arena, lanes, all)
  for (let n = 1; n < ROUNDS; n++)
    await round(
      arena,
      lanes,
      lanes.map(() => all[Math.floor(random() * all.length)] as SharedSceneName),
    )
  // Once for each death, not once for each session.
  expect((await arena.server()).restartCount - restartCount).toBe(ROUNDS)
  await expectAllWell(arena, lanes)
})

test("killed while it starts, again and again, it is started ever later, and comes at last", { timeout }, async () => {
  await using arena = await Arena.open()
  const [lane] = await arena.lanes(1)
  if (lane === undefined) throw new Error("no lane")
  lane.offset = (await lane.api.session(lane.id)).lastSequence
  await arena.strike()
  await lane.processLost()
  for (let n = 0; n < 3; n++) await inScene(`start ${n}`, lane, () => killStarting(arena, lane))
  await goesOn(lane)
  await expectAllWell(arena, [lane])
})

async function killStarting(arena: Arena, lane: OpencodeLane): Promise<void> {
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

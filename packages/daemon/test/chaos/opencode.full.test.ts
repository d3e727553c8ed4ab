import { mkdirSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import type { Agent } from "@sandbox-agent/schema/agent"
import { type ScriptedModel, startScriptedModel } from "@sandbox-agent/scripted-model"
import { opencodeBinary } from "@sandbox-agent/test-agents/opencode"
import { expect, test } from "vitest"
import { offlineEnvironment } from "../drivers/opencode/environment.ts"
import { seeded } from "../durability/survivor.ts"
import { scratch, startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { gone, until } from "../supervisor/processes.ts"
import { expectClean, expectNoOrphans, goesOn, inScene, isHit, type Moment } from "./assertions.ts"
import { opencodeDialect } from "./dialects.ts"
import { OpencodeChaosSession } from "./opencode-session.ts"
import { promptScript } from "./prompts.ts"
import { type SharedSceneName, sharedScenes } from "./shared-scenes.ts"
import { taggedProcessesOf } from "./tagged-processes.ts"

/** Another number tries other moments. */
const SEED = Number(process.env.KILL_SEED ?? 42)
/** Each kill hits every session: fifty in a whole run. */
const ROUNDS = 5
const SESSIONS = 10
const timeout = 900_000

class Arena implements AsyncDisposable {
  private constructor(
    readonly daemon: TestDaemon,
    readonly model: ScriptedModel,
    readonly home: string,
  ) {}

  static async open(): Promise<Arena> {
    const model = await startScriptedModel({ script: [promptScript(opencodeDialect)] })
    const home = join(scratch(), "home")
    mkdirSync(home)
    const path = [dirname(opencodeBinary()), process.env.PATH].join(delimiter)
    const daemon = await startDaemon({ env: { ...offlineEnvironment(home, model.url), PATH: path } })
    return new Arena(daemon, model, home)
  }

  async sessions(count: number): Promise<OpencodeChaosSession[]> {
    const sessions = Array.from({ length: count }, (_, n) => {
      return new OpencodeChaosSession(this.daemon, this.model, `session-${n}`, seeded(SEED + n), this.home)
    })
    await Promise.all(sessions.map((session) => session.begin()))
    return sessions
  }

  server = async (): Promise<Agent["process"]> =>
    (await this.daemon.api.ok<Agent>("GET", "/v1/agents/opencode")).process

  /** SIGKILL to the server alone; gives it and all it had started. */
  async strike(): Promise<number[]> {
    const { pid } = await this.server()
    const all = taggedProcessesOf("", this.home).map((tagged) => tagged.pid)
    process.kill(pid ?? Number.NaN, "SIGKILL")
    return all
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.daemon[Symbol.asyncDispose]()
    await this.model.close()
  }
}

async function expectAllWell({ daemon, model, home }: Arena, sessions: readonly OpencodeChaosSession[]): Promise<void> {
  await expectClean(sessions)
  expect(model.unexpected).toEqual([])
  // OpenCode keeps helpers of its own; what it was told to run must not outlive it.
  await expectNoOrphans(daemon, [home], ({ name }) => !name.startsWith("python"))
}

/** All at their moment, then the kill, then all go on; a failure tells which it was. */
async function round(
  arena: Arena,
  sessions: readonly OpencodeChaosSession[],
  names: readonly SharedSceneName[],
): Promise<void> {
  const at = (n: number): SharedSceneName => names[n] ?? "while it is idle"
  const moments = await Promise.all(
    sessions.map((session, n) => inScene<Moment>(at(n), session, () => sharedScenes[at(n)](session))),
  )
  const killed = await arena.strike()
  await Promise.all(moments.map((moment) => moment.meanwhile?.()))
  await Promise.all(sessions.map((session, n) => inScene(at(n), session, () => isHit(session, moments[n] ?? {}))))
  for (const pid of killed) await gone(pid)
  await Promise.all(sessions.map((session, n) => inScene(at(n), session, () => goesOn(session))))
}

test(`a shared server killed at any moment of its sessions' turns (seed ${SEED})`, { timeout }, async () => {
  await using arena = await Arena.open()
  const sessions = await arena.sessions(SESSIONS)
  const random = seeded(SEED)
  const all = Object.keys(sharedScenes) as SharedSceneName[]
  const { restartCount } = await arena.server()
  // Each of them first; then as it falls.
  await round(arena, sessions, all)
  for (let n = 1; n < ROUNDS; n++)
    await round(
      arena,
      sessions,
      sessions.map(() => all[Math.floor(random() * all.length)] as SharedSceneName),
    )
  // Once for each death, not once for each session.
  expect((await arena.server()).restartCount - restartCount).toBe(ROUNDS)
  await expectAllWell(arena, sessions)
})

test("killed while it starts, again and again, it is started ever later, and comes at last", { timeout }, async () => {
  await using arena = await Arena.open()
  const [session] = await arena.sessions(1)
  if (session === undefined) throw new Error("no session")
  session.offset = (await session.api.session(session.id)).lastSequence
  await arena.strike()
  await session.processLost()
  for (let n = 0; n < 3; n++) await inScene(`start ${n}`, session, () => killStarting(arena, session))
  await goesOn(session)
  await expectAllWell(arena, [session])
})

async function killStarting(arena: Arena, session: OpencodeChaosSession): Promise<void> {
  const { messageId } = await session.post("hang")
  const server = () => taggedProcessesOf("", arena.home).find(({ parent }) => parent === arena.daemon.pid)
  await until(() => server() !== undefined, "a server")
  // No event tells how far a start has come.
  await Bun.sleep(session.random() * 800)
  const { pid } = server() ?? { pid: Number.NaN }
  process.kill(pid, "SIGKILL")
  expect(await session.ended(messageId)).toMatchObject({
    stop_reason: "error",
    error: { code: "agent_process_exited" },
  })
  await gone(pid)
}

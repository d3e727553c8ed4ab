import { randomBytes } from "node:crypto"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Agent } from "@sandbox-agent/schema/agent"
import type { Event } from "@sandbox-agent/schema/event"
import type { Acts } from "./acts.ts"
import { Api } from "./api.ts"
import { AcpApi } from "./face/acp-api.ts"
import { disagreements } from "./face/agreement.ts"
import type { FaceOptions } from "./face/face-client.ts"
import type { FaceRun } from "./face/face-run.ts"
import { Refused } from "./refused.ts"
import type { Scenario } from "./scenario.ts"
import type { RunningDaemon, Stage, Subject } from "./subject.ts"

/** The agent's tests do not say how to make it do this. */
export class MissingAct extends Error {}

const terminateMs = 30_000

/** That it took too long, and what it was waiting for. */
const interrupted = (late: Error, error: unknown): unknown =>
  error === late || !(error instanceof Error) ? late : new Error(`${late.message}: ${error.message}`, { cause: error })

/** What the scenes of a run share: one daemon with one agent, and every session that was made on it. */
class SceneResources {
  count = 0
  logs: Map<string, Event[]> | undefined
  readonly sessions: string[] = []
  /** Of daemons that were killed. */
  readonly faults: string[] = []
  /** The daemon may have sessions of other runs. */
  readonly run = `conformance-${randomBytes(3).toString("hex")}`
  /** What was seen of the ACP face, where the run is over it. */
  readonly faceRun: FaceRun = { compared: 0, met: new Set(), rest: new Set() }

  constructor(public daemon: RunningDaemon) {}
}

/** What a scenario sees: the daemon with the agent, and sessions of its own, ended with it. Scenes are played side by side. */
export class Scene implements AsyncDisposable {
  readonly #sessions: string[] = []
  readonly #shared: SceneResources
  readonly #api: Api | undefined

  private constructor(
    readonly subject: Subject,
    readonly stage: Stage,
    /** Scenarios speak ACP, as a client with these powers; else REST. */
    readonly face: FaceOptions | undefined,
    shared: SceneResources,
    api?: Api,
  ) {
    this.#shared = shared
    this.#api = api
  }

  static async open(subject: Subject, stage: Stage, face?: FaceOptions): Promise<Scene> {
    mkdirSync(stage.directory, { recursive: true })
    return new Scene(subject, stage, face, new SceneResources(await stage.start()))
  }

  get agent(): string {
    return this.subject.agent
  }

  get api(): Api {
    return this.#api ?? this.#rest()
  }

  get faceRun(): FaceRun {
    return this.#shared.faceRun
  }

  #rest(signal?: AbortSignal): Api {
    const { url, token } = this.#shared.daemon
    return new Api(url, token, signal)
  }

  get restarts(): boolean {
    return this.#shared.daemon.crash !== undefined
  }

  /** A session alone, before there are several at once: with its first start an agent makes files that all of them share. */
  async warmUp(): Promise<void> {
    const { id } = await this.session()
    await this.api.terminate(id)
  }

  /** Runs a scenario in a scene of its own; what takes longer than this has failed. */
  async play(scenario: Scenario, timeoutMs: number): Promise<void> {
    const { subject, stage, face } = this
    const shared = this.#shared
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(new Error(`not done after ${timeoutMs / 1000} s`)), timeoutMs)
    const acp = face && new AcpApi(shared.daemon, subject, face, shared.faceRun, late.signal)
    const scene = new Scene(subject, stage, face, shared, acp ?? this.#rest(late.signal))
    try {
      await scenario.run(scene)
      if (acp !== undefined) await agree(acp, scene.#sessions)
      await acp?.close()
    } catch (error) {
      throw late.signal.aborted ? interrupted(late.signal.reason, error) : error
    } finally {
      clearTimeout(timer)
      await this.#terminate(scene.#sessions)
      await acp?.close().catch(() => {}) // thrown above, or of no more interest than this
    }
  }

  /** What stands in the way of this must not hide what the scenario found. */
  async #terminate(sessions: readonly string[]): Promise<void> {
    const rest = this.#rest(AbortSignal.timeout(terminateMs))
    await Promise.all(sessions.map((id) => rest.call("POST", `/v1/sessions/${id}/terminate`).catch(() => {})))
  }

  /** What makes the agent do this. */
  async prompt<A extends keyof Acts>(act: A, ...args: Parameters<NonNullable<Acts[A]>>): Promise<string> {
    const make = this.subject.acts[act] as ((...given: unknown[]) => string | Promise<string>) | undefined
    if (make === undefined) throw new MissingAct(`nothing says how to make ${this.agent} do this: acts.${act}`)
    return make.apply(this.subject.acts, args)
  }

  /** Makes the agent do this and gives the events of that turn. */
  async turn<A extends keyof Acts>(id: string, act: A, ...args: Parameters<NonNullable<Acts[A]>>): Promise<Event[]> {
    return this.api.turn(id, await this.prompt(act, ...args))
  }

  can(act: keyof Acts): boolean {
    return this.subject.acts[act] !== undefined
  }

  async session(body: Record<string, unknown> = {}): Promise<{ id: string; directory: string }> {
    const id = `${this.#shared.run}-${++this.#shared.count}`
    const directory = join(this.stage.directory, id)
    mkdirSync(directory, { recursive: true })
    this.keep(id)
    const fields = { agent: this.agent, directory, ...this.subject.session, ...body }
    const created = this.api.create(id, fields)
    created.catch((error: unknown) => error instanceof Refused && this.#drop(id))
    const { healthy, ...rest } = await created
    if (!healthy) throw new Error(`${this.agent} did not open: ${JSON.stringify(rest).slice(0, 1000)}`)
    return { id, directory }
  }

  /** A session made by other means than `session`. */
  keep(id: string): void {
    this.#sessions.push(id)
    this.#shared.sessions.push(id)
    this.#shared.logs = undefined
  }

  /** What was refused was never made. */
  #drop(id: string): void {
    for (const list of [this.#sessions, this.#shared.sessions]) list.splice(list.indexOf(id), 1)
  }

  info(): Promise<Agent> {
    return this.api.ok("GET", `/v1/agents/${this.agent}`)
  }

  /** The daemon goes, by SIGKILL, and comes again on the same data. Only for a scenario that is played alone. */
  async restart(): Promise<void> {
    await this.#again(async ({ daemon }) => daemon.crash?.())
  }

  /** The daemon ends, its agents with it; what they kept of their sessions is gone when it comes again. Played alone, too. */
  async forget(): Promise<void> {
    await this.#again(async ({ daemon }) => {
      await daemon.stop()
      await this.subject.forget?.()
    })
  }

  async #again(end: (shared: SceneResources) => Promise<void>): Promise<void> {
    const shared = this.#shared
    shared.faults.push(...(await this.faults()))
    await end(shared)
    shared.daemon = await this.stage.start()
    const { url, token } = shared.daemon
    if (this.#api !== undefined) Object.assign(this.#api, { url, token })
  }

  /** The log of every session of the run, raw included; asked for when no scenario is played any more. */
  async logs(): Promise<ReadonlyMap<string, readonly Event[]>> {
    const shared = this.#shared
    if (shared.logs !== undefined) return shared.logs
    const logs = new Map<string, Event[]>()
    for (const id of shared.sessions) logs.set(id, await this.api.events(id, "&include_raw=true"))
    shared.logs = logs
    return logs
  }

  async faults(): Promise<string[]> {
    const now = (await this.api.metrics())
      .split("\n")
      .filter((line) => line.startsWith("sandbox_agent_driver_faults_total{"))
    return [...this.#shared.faults, ...now]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#shared.daemon.stop()
  }
}

async function agree(acp: AcpApi, sessions: readonly string[]): Promise<void> {
  const wrong = await disagreements(acp, sessions)
  if (wrong.length > 0) throw new Error(wrong.slice(0, 5).join("\n"))
}

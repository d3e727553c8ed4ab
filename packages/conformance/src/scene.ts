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
import type { Scenario } from "./scenario.ts"
import type { RunningDaemon, Stage, Subject } from "./subject.ts"

/** The agent's tests do not say how to make it do this. */
export class MissingAct extends Error {}

const terminateMs = 30_000

/** One daemon with one agent; each scenario has sessions of its own, ended with it. */
export class Scene implements AsyncDisposable {
  #daemon: RunningDaemon
  #count = 0
  /** The daemon may have sessions of other runs. */
  readonly #run = `conformance-${randomBytes(3).toString("hex")}`
  #api: Api
  #logs: Map<string, Event[]> | undefined
  readonly #sessions: string[] = []
  /** Of daemons that were killed. */
  readonly #faults: string[] = []

  /** What was seen of the ACP face, where the run is over it. */
  readonly faceRun: FaceRun = { compared: 0, met: new Set(), rest: new Set() }

  private constructor(
    readonly subject: Subject,
    readonly stage: Stage,
    daemon: RunningDaemon,
    /** Scenarios speak ACP, as a client with these powers; else REST. */
    readonly face: FaceOptions | undefined,
  ) {
    this.#daemon = daemon
    this.#api = new Api(daemon.url, daemon.token)
  }

  static async open(subject: Subject, stage: Stage, face?: FaceOptions): Promise<Scene> {
    mkdirSync(stage.directory, { recursive: true })
    return new Scene(subject, stage, await stage.start(), face)
  }

  get agent(): string {
    return this.subject.agent
  }

  get api(): Api {
    return this.#api
  }

  #rest(signal?: AbortSignal): Api {
    return new Api(this.#daemon.url, this.#daemon.token, signal)
  }

  get restarts(): boolean {
    return this.#daemon.crash !== undefined
  }

  /** Runs a scenario; what takes longer than this has failed. */
  async play(scenario: Scenario, timeoutMs: number): Promise<void> {
    const from = this.#sessions.length
    this.#logs = undefined
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(new Error(`not done after ${timeoutMs / 1000} s`)), timeoutMs)
    const acp = this.face && new AcpApi(this.#daemon, this.subject, this.face, this.faceRun, late.signal)
    this.#api = acp ?? this.#rest(late.signal)
    try {
      await scenario.run(this)
      if (acp !== undefined) await this.#agree(acp, this.#sessions.slice(from))
      await acp?.close()
    } catch (error) {
      // Whatever it was doing then.
      throw late.signal.aborted ? late.signal.reason : error
    } finally {
      clearTimeout(timer)
      await this.#terminate(this.#sessions.slice(from))
      await acp?.close().catch(() => {}) // thrown above, or of no more interest than this
      this.#api = this.#rest()
    }
  }

  async #agree(acp: AcpApi, sessions: readonly string[]): Promise<void> {
    const wrong = await disagreements(acp, sessions)
    if (wrong.length > 0) throw new Error(wrong.slice(0, 5).join("\n"))
  }

  /** What stands in the way of this must not hide what the scenario found. */
  async #terminate(sessions: readonly string[]): Promise<void> {
    const rest = this.#rest(AbortSignal.timeout(terminateMs))
    for (const id of sessions) await rest.call("POST", `/v1/sessions/${id}/terminate`).catch(() => {})
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
    const id = `${this.#run}-${++this.#count}`
    const directory = join(this.stage.directory, id)
    mkdirSync(directory, { recursive: true })
    this.#sessions.push(id)
    const fields = { agent: this.agent, directory, ...this.subject.session, ...body }
    const { healthy, ...rest } = await this.api.create(id, fields)
    if (!healthy) throw new Error(`${this.agent} did not open: ${JSON.stringify(rest).slice(0, 1000)}`)
    return { id, directory }
  }

  /** A session made by other means than `session`. */
  keep(id: string): void {
    this.#sessions.push(id)
  }

  info(): Promise<Agent> {
    return this.api.ok("GET", `/v1/agents/${this.agent}`)
  }

  /** The daemon goes, by SIGKILL, and comes again on the same data. */
  async restart(): Promise<void> {
    this.#faults.push(...(await this.faults()))
    await this.#daemon.crash?.()
    this.#daemon = await this.stage.start()
    this.#api.url = this.#daemon.url
    this.#api.token = this.#daemon.token
  }

  /** The log of every session of this run, raw included. */
  async logs(): Promise<ReadonlyMap<string, readonly Event[]>> {
    if (this.#logs !== undefined) return this.#logs
    const logs = new Map<string, Event[]>()
    for (const id of this.#sessions) logs.set(id, await this.api.events(id, "&include_raw=true"))
    this.#logs = logs
    return logs
  }

  async faults(): Promise<string[]> {
    const now = (await this.api.metrics())
      .split("\n")
      .filter((line) => line.startsWith("sandbox_agent_driver_faults_total{"))
    return [...this.#faults, ...now]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#daemon.stop()
  }
}

import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { Agent, Capabilities, Capability } from "@sandbox-agent/schema/agent"
import type { Event, EventType } from "@sandbox-agent/schema/event"
import type { Item } from "@sandbox-agent/schema/item"
import { checkLog } from "../core/checks.ts"
import type { Api } from "../harness/api.ts"
import { type DaemonOptions, scratch, startDaemon, type TestDaemon } from "../harness/daemon.ts"
import type { Acts } from "./acts.ts"

export interface Case {
  name: string
  needs: Capability[]
  run(scene: Scene): Promise<void>
}

type Of<T extends EventType> = Extract<Event, { type: T }>
export const only = <T extends EventType>(events: readonly Event[], type: T): Of<T>[] =>
  events.filter((event): event is Of<T> => event.type === type)
/** The items a run of events completed. */
export const itemsOf = (events: readonly Event[]): Item[] => only(events, "item.completed").map(({ data }) => data.item)
export const textOf = (items: readonly Item[]): string =>
  items
    .flatMap(({ role, content }) =>
      role === "assistant" ? content.flatMap((part) => (part.type === "text" ? part.text : [])) : [],
    )
    .join("")

/** One daemon with one agent; each case has sessions of its own, ended with it. */
export class Scene implements AsyncDisposable {
  #daemon: TestDaemon
  #count = 0
  readonly #sessions: string[] = []
  readonly #complaints: string[] = []

  private constructor(
    readonly agent: string,
    readonly acts: Acts,
    private readonly options: DaemonOptions,
    daemon: TestDaemon,
  ) {
    this.#daemon = daemon
  }

  static async open(agent: string, acts: Acts, options: DaemonOptions = {}): Promise<Scene> {
    const kept = { ...options, dataDir: options.dataDir ?? scratch() }
    return new Scene(agent, acts, kept, await startDaemon(kept))
  }

  get api(): Api {
    return this.#daemon.api
  }

  async play(c: Case): Promise<void> {
    const from = this.#sessions.length
    try {
      await c.run(this)
    } finally {
      for (const id of this.#sessions.slice(from)) await this.api.call("POST", `/v1/sessions/${id}/terminate`)
    }
  }

  /** What makes the agent do this. */
  async prompt<A extends keyof Acts>(act: A, ...args: Parameters<NonNullable<Acts[A]>>): Promise<string> {
    const make = this.acts[act] as ((...given: unknown[]) => string | Promise<string>) | undefined
    if (make === undefined)
      throw new Error(`acts.${act} is missing: this driver's tests do not say how to make it do that`)
    return make.apply(this.acts, args)
  }

  /** Makes the agent do this and gives the events of that turn. */
  async turn<A extends keyof Acts>(id: string, act: A, ...args: Parameters<NonNullable<Acts[A]>>): Promise<Event[]> {
    return this.api.turn(id, await this.prompt(act, ...args))
  }

  async session(body: Record<string, unknown> = {}): Promise<{ id: string; directory: string }> {
    const id = `s${++this.#count}`
    const directory = join(String(this.options.dataDir), "work", id)
    mkdirSync(directory, { recursive: true })
    const { healthy } = await this.api.create(id, { agent: this.agent, directory, ...body })
    if (!healthy) throw new Error(`${this.agent} did not open`)
    this.#sessions.push(id)
    return { id, directory }
  }

  /** A session made by other means than `session`. */
  keep(id: string): void {
    this.#sessions.push(id)
  }

  info(): Promise<Agent> {
    return this.api.ok("GET", `/v1/agents/${this.agent}`)
  }

  async capabilities(): Promise<Capabilities> {
    return (await this.info()).capabilities
  }

  /** The daemon goes, by SIGKILL, and comes again on the same data. */
  async restart(): Promise<void> {
    this.#complaints.push(...(await this.#faults()))
    this.#daemon.kill("SIGKILL")
    await this.#daemon.exited
    this.#daemon = await startDaemon(this.options)
  }

  /** Whatever is wrong with what this run left behind. */
  async complaints(): Promise<string[]> {
    const found = [...this.#complaints, ...(await this.#faults())]
    for (const id of this.#sessions) {
      const events = await this.api.events(id, "&include_raw=true")
      found.push(...checkLog(events).map((violation) => `${id}: ${violation}`))
      for (const event of only(events, "agent.unparsed")) found.push(`${id}: unparsed ${event.data.error}`)
      const bare = events.filter((event) => event.source === "agent" && event.raw === undefined)
      if (bare.length > 0) found.push(`${id}: ${bare.length} events of the agent without raw, first ${bare[0]?.type}`)
    }
    return found
  }

  async #faults(): Promise<string[]> {
    const metrics = (await this.api.call<string>("GET", "/metrics")).body
    return metrics.split("\n").filter((line) => line.startsWith("sandbox_agent_driver_faults_total{"))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#daemon[Symbol.asyncDispose]()
    rmSync(String(this.options.dataDir), { recursive: true, force: true })
  }
}

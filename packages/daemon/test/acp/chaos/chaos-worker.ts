import type { Api } from "../../harness/api.ts"
import { text } from "../wire.ts"
import type { ChaosClient } from "./client.ts"
import { Refused, Unsure } from "./client.ts"
import type { FaultyProxy } from "./faulty-proxy.ts"
import type { Gate } from "./gate.ts"

/** A session and what was asked of it. */
export interface Asked {
  readonly id: string
  /** By the mark in each prompt: the id of its request. Some were perhaps never taken. */
  readonly prompts: Map<string, number>
}

/** What a prompt whose daemon was killed is answered. */
const killed = ["daemon_restarted", "unavailable"]

/** What an agent is asked for. */
export interface AgentPrompts {
  agent: string
  hello: string
  /** Of one session, prompt by prompt. */
  prompts(random: () => number): string[]
}

export interface ChaosWorkerParts {
  name: string
  client: ChaosClient
  line: FaultyProxy
  random: () => number
  play: AgentPrompts
  gate: Gate
  /** Its daemon is killed now and then. */
  mortal: boolean
  /** Straight to the daemon. */
  api: Api
}

/** One client on a line of its own, that works through turn after turn. */
export class ChaosWorker {
  readonly sessions: Asked[] = []
  readonly client: ChaosClient
  readonly line: FaultyProxy
  #count = 0

  constructor(readonly parts: ChaosWorkerParts) {
    this.client = parts.client
    this.line = parts.line
  }

  get name(): string {
    return this.parts.name
  }

  /** A new session, some turns, and its history told again. */
  async round(): Promise<void> {
    const session = await this.#create()
    this.line.rough()
    for (const script of this.parts.play.prompts(this.parts.random)) await this.#prompt(session, script)
    // What is in doubt may still run: the history comes after all of it.
    await this.#idle(session)
    await this.#insist("session/load", { sessionId: session.id, cwd: "/tmp", mcpServers: [] })
    await this.#insist("session/list", {})
    this.line.calm()
  }

  /** A stream that breaks before it has shown an id cannot say where it was: until then the line holds. */
  #create(): Promise<Asked> {
    return this.parts.gate.hold(async () => {
      this.line.calm()
      const id = `${this.name}-${this.sessions.length}`
      const meta = { "sandboxagent.dev": { requestedSessionId: id } }
      await this.client.request("session/new", { cwd: "/tmp", mcpServers: [], _meta: meta })
      const session: Asked = { id, prompts: new Map() }
      this.sessions.push(session)
      await this.#prompt(session, this.parts.play.hello)
      return session
    })
  }

  async #prompt(session: Asked, script: string): Promise<void> {
    for (;;) {
      const mark = `${this.name}.${++this.#count}`
      const params = { sessionId: session.id, prompt: text(`${mark}\n${script}`) }
      try {
        const { result } = await this.client.request("session/prompt", params, (id) => session.prompts.set(mark, id))
        if (result?.stopReason !== "end_turn") throw new Error(`${mark} ended with ${JSON.stringify(result)}`)
        return this.line.gotOn()
      } catch (error) {
        await this.#mayRetry(error, session)
        // Some are sent again at once, behind what is perhaps running; for the others it is seen what became of it.
        if (this.parts.random() < 0.3) continue
        await this.#idle(session)
        if (this.client.answers.get(session.prompts.get(mark) ?? -1)?.result !== undefined) return this.line.gotOn()
      }
    }
  }

  /** Asked until it is answered: what is asked twice does no harm. */
  async #insist(method: string, params: Record<string, unknown>): Promise<void> {
    for (;;) {
      try {
        await this.client.request(method, params)
        return this.line.gotOn()
      } catch (error) {
        await this.#mayRetry(error)
      }
    }
  }

  async #idle({ id }: Asked): Promise<void> {
    for (let left = 3_000; left > 0; left--) {
      const session = await this.parts.api.session(id).catch(() => undefined)
      if (session?.status === "idle" && session.queue.length === 0) return
      await Bun.sleep(20)
    }
    throw new Error(`${id} is never idle`)
  }

  async #mayRetry(error: unknown, session?: Asked): Promise<void> {
    const restarted = error instanceof Refused && this.parts.mortal && killed.includes(String(error.error.data?.code))
    if (!(error instanceof Unsure) && !restarted) throw await this.#explained(error, session)
    await Bun.sleep(5 + this.parts.random() * 20)
  }

  /** What the daemon says of the session, beside what went wrong with it. */
  async #explained(cause: unknown, session: Asked | undefined): Promise<Error> {
    if (session === undefined) return new Error(this.name, { cause })
    const { status, queue } = await this.parts.api.session(session.id)
    const events = (await this.parts.api.events(session.id)).slice(-8)
    const tail = events.map(({ type, data }) => `${type} ${JSON.stringify(data)}`.slice(0, 300))
    return new Error([`${session.id} ${status}, ${queue.length} queued`, ...tail, cause].join("\n"), { cause })
  }
}

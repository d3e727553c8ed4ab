import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Event, EventData } from "@sandbox-agent/schema/event"
import type { ScriptedModel } from "@sandbox-agent/scripted-model"
import { until } from "../agents/processes.ts"
import type { Api } from "../harness/api.ts"
import type { TestDaemon } from "../harness/daemon.ts"
import { type Carrier, carriersOf } from "./carriers.ts"
import { asks, type Wish, wishText } from "./claude-model.ts"

type Ended = EventData<"turn.ended">

/** One session with a real Claude Code whose process dies again and again. */
export class Lane {
  readonly api: Api
  /** What happened before this is of no interest to who waits. */
  offset = 0
  /** The native session; whoever resumes keeps it. */
  native: string | undefined
  /** The first message of the conversation. */
  first = ""
  #count = 0

  constructor(
    private readonly daemon: TestDaemon,
    private readonly model: ScriptedModel,
    readonly id: string,
    readonly random: () => number,
  ) {
    this.api = daemon.api
  }

  async create(home: string): Promise<void> {
    const directory = join(this.daemon.dataDir, `workspace-${this.id}`)
    mkdirSync(directory)
    const env = {
      HOME: home,
      ANTHROPIC_BASE_URL: this.model.url,
      ANTHROPIC_API_KEY: "dummy",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
      CLAUDE_CODE_MAX_RETRIES: "1",
    }
    const { healthy, session } = await this.api.create(this.id, { agent: "claude", directory, env })
    if (!healthy) throw new Error(`${this.id} is not healthy: ${JSON.stringify(session.error)}`)
  }

  wish(wish: Wish, count = 0): string {
    return wishText(wish, `${this.id}/${++this.#count}`, count)
  }

  /** Sends a wish, to be waited for from here on. */
  async post(wish: Wish, count = 0): Promise<{ messageId: string; message: string }> {
    this.offset = (await this.api.session(this.id)).lastSequence
    const message = this.wish(wish, count)
    const { messageId } = await this.api.send(this.id, message)
    return { messageId, message }
  }

  until: <T extends Event["type"]>(
    type: T,
    when?: (event: Extract<Event, { type: T }>) => boolean,
  ) => Promise<Extract<Event, { type: T }>> = (type, when) => this.api.until(this.id, type, when, this.offset)

  /** The end of the turn of a message. */
  async ended(messageId: string): Promise<Ended> {
    return (await this.until("turn.ended", ({ data }) => data.message_ids.includes(messageId))).data
  }

  /** The request of the agent that brings this message to the model. */
  asked(message: string) {
    return this.model.waitFor(asks(message), 30_000)
  }

  carriers = (): Carrier[] => carriersOf(this.id)

  /** No event tells of a process that has just been started. */
  async agent(): Promise<Carrier> {
    const found = () => this.carriers().find(({ parent }) => parent === this.daemon.pid)
    await until(() => found() !== undefined, `the process of ${this.id}`)
    return found() as Carrier
  }

  /** SIGKILL to the agent alone; gives it and all it had started. */
  async strike(): Promise<Carrier[]> {
    const { pid } = await this.agent()
    const all = this.carriers()
    process.kill(pid, "SIGKILL")
    return all
  }

  processLost = () => this.until("session.updated", ({ data }) => data.agent_process === "none")
}

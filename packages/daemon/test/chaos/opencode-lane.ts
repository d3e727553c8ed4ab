import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Event, EventData } from "@sandbox-agent/schema/event"
import type { ScriptedModel } from "@sandbox-agent/scripted-model"
import { until } from "../agents/processes.ts"
import type { Api } from "../harness/api.ts"
import type { TestDaemon } from "../harness/daemon.ts"
import { carriersOf } from "./carriers.ts"
import { asks, type Wish, wishText, word } from "./claude-model.ts"

/** One session on a real OpenCode server that it shares with others. */
export class Lane {
  readonly api: Api
  /** What happened before this is of no interest to who waits. */
  offset = 0
  #count = 0
  /** The native session and the first message: whoever resumes keeps both. */
  native: string | undefined
  first = ""

  constructor(
    private readonly daemon: TestDaemon,
    private readonly model: ScriptedModel,
    private readonly home: string,
    readonly id: string,
    readonly random: () => number,
  ) {
    this.api = daemon.api
  }

  async create(): Promise<void> {
    // A few folders for all: OpenCode takes seconds for each that it has not seen since its start.
    const directory = join(this.daemon.dataDir, `workspace-${this.id.endsWith("0") ? "a" : "b"}`)
    mkdirSync(directory, { recursive: true })
    const { healthy, session } = await this.api.create(this.id, { agent: "opencode", directory })
    if (!healthy) throw new Error(`${this.id} is not healthy: ${JSON.stringify(session.error)}`)
    const { messageId, message } = await this.post("say")
    await this.ended(messageId)
    this.first = message
    this.native = (await this.api.session(this.id)).nativeSessionId
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
  async ended(messageId: string): Promise<EventData<"turn.ended">> {
    return (await this.until("turn.ended", ({ data }) => data.message_ids.includes(messageId))).data
  }

  /** The request that brings this message to the model. */
  asked = (message: string) => this.model.waitFor(asks(message), 60_000)

  async spoken(wish: "text" | "think"): Promise<string> {
    const count = 1 + Math.floor(this.random() * 20)
    const { messageId } = await this.post(wish, count)
    const type = wish === "text" ? "text" : "reasoning"
    await this.until("item.delta", ({ data }) => data.part.type === type && data.delta.includes(word(count)))
    return messageId
  }

  permissionPath = async (): Promise<string> =>
    `/v1/sessions/${this.id}/permissions/${(await this.until("permission.requested")).data.permission_id}/reply`

  /** Its tool runs. */
  running = () =>
    until(() => carriersOf("", this.home).some(({ name }) => name.startsWith("python")), `the tool of ${this.id}`)
}

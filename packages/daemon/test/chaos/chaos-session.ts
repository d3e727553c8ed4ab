import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Event, EventData } from "@sandbox-agent/schema/event"
import type { CreateSession } from "@sandbox-agent/schema/session"
import type { ScriptedModel } from "@sandbox-agent/scripted-model"
import type { Api } from "../harness/api.ts"
import type { TestDaemon } from "../harness/daemon.ts"
import { until } from "../supervisor/processes.ts"
import { type AgentDialect, asks, type PromptKind, promptText, word } from "./prompts.ts"
import { type TaggedProcess, taggedProcessesOf } from "./tagged-processes.ts"

/** One session with a real agent whose process dies again and again. */
export abstract class ChaosSession {
  readonly api: Api
  /** What happened before this is of no interest to who waits. */
  offset = 0
  /** The native session; whoever resumes keeps it. */
  native: string | undefined
  /** The first message of the conversation. */
  first = ""
  #count = 0

  constructor(
    protected readonly daemon: TestDaemon,
    protected readonly model: ScriptedModel,
    readonly id: string,
    readonly random: () => number,
  ) {
    this.api = daemon.api
  }

  abstract readonly dialect: AgentDialect

  abstract create(): Promise<void>

  /** The processes with the tag of this session: its agent, and all it has started. */
  processes(): TaggedProcess[] {
    return taggedProcessesOf(this.id)
  }

  protected async createWith(given: CreateSession, workspace = this.id): Promise<void> {
    const directory = join(this.daemon.dataDir, `workspace-${workspace}`)
    mkdirSync(directory, { recursive: true })
    const { healthy, session } = await this.api.create(this.id, { directory, ...given })
    if (!healthy) throw new Error(`${this.id} is not healthy: ${JSON.stringify(session.error)}`)
  }

  /** A first turn: from here on there is a conversation to come back to. */
  async begin(): Promise<void> {
    await this.create()
    const { messageId, message } = await this.post("say")
    const { stop_reason } = await this.ended(messageId)
    if (stop_reason !== "end_turn") throw new Error(`the first turn of ${this.id} ended with ${stop_reason}`)
    this.first = message
    this.native = (await this.api.session(this.id)).nativeSessionId
  }

  prompt(prompt: PromptKind, count = 0): string {
    return promptText(prompt, `${this.id}/${++this.#count}`, count)
  }

  /** Sends a prompt, to be waited for from here on. */
  async post(prompt: PromptKind, count = 0): Promise<{ messageId: string; message: string }> {
    this.offset = (await this.api.session(this.id)).lastSequence
    const message = this.prompt(prompt, count)
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

  /** The conversation with which this message came to the model. */
  async asked(message: string): Promise<string> {
    return this.dialect.said(await this.model.waitFor(asks(this.dialect, message), 60_000))
  }

  /** In the middle of a text, or of thinking. */
  async spoken(prompt: "text" | "think"): Promise<string> {
    const count = 1 + Math.floor(this.random() * 20)
    const { messageId } = await this.post(prompt, count)
    const type = prompt === "text" ? "text" : "reasoning"
    await this.until("item.delta", ({ data }) => data.part.type === type && data.delta.includes(word(count)))
    return messageId
  }

  async permissionPath(): Promise<string> {
    return `/v1/sessions/${this.id}/permissions/${(await this.until("permission.requested")).data.permission_id}/reply`
  }

  /** Its tool runs. */
  running = (): Promise<void> =>
    until(() => this.processes().some(({ name }) => name.startsWith("python")), `the tool of ${this.id}`)

  /** No event tells of a process that has just been started. */
  async agent(): Promise<TaggedProcess> {
    const found = () => this.processes().find(({ parent }) => parent === this.daemon.pid)
    await until(() => found() !== undefined, `the process of ${this.id}`)
    return found() as TaggedProcess
  }

  /** SIGKILL to the agent alone; gives it and all it had started. */
  async strike(): Promise<TaggedProcess[]> {
    const { pid } = await this.agent()
    const all = this.processes()
    process.kill(pid, "SIGKILL")
    return all
  }

  processLost = () => this.until("session.updated", ({ data }) => data.agent_process === "none")
}

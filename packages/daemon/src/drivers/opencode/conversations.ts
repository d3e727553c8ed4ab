import { record, text } from "../shared/json.ts"
import type { Message, ToolPart } from "./native.ts"

interface Known {
  role: Message["role"]
  summary: boolean
  providerID: string
  modelID: string
}

/** Messages of a session, and of the sessions that its sub-agents have. */
export class Conversations {
  readonly #messages = new Map<string, Known>()
  /** Key of the call each sub-agent works for, by its session. */
  readonly #parents = new Map<string, string>()
  /** What cut the running message of a session short. */
  readonly #broken = new Map<string, string>()
  /** The message each session is at. */
  readonly #current = new Map<string, string>()

  constructor(readonly main: string) {}

  message(info: Message): void {
    const summary = info.role === "assistant" && info.summary === true
    const { providerID, modelID } = info.role === "assistant" ? info : info.model
    this.#messages.set(info.id, { role: info.role, summary, providerID, modelID })
    if (info.role !== "assistant") return
    if (info.time.completed === undefined) this.#current.set(info.sessionID, info.id)
    else this.#broken.delete(info.sessionID)
  }

  current(session: string): string | undefined {
    return this.#current.get(session)
  }

  /** What a user said is logged when it is taken. */
  isAssistant(messageID: string): boolean {
    return this.#messages.get(messageID)?.role === "assistant"
  }

  /** The model that wrote a message. */
  model(messageID: string): { providerID: string; modelID: string } {
    return this.#messages.get(messageID) ?? { providerID: "", modelID: "" }
  }

  break(session: string, reason: string): void {
    this.#broken.set(session, reason)
  }

  /** A task tells the session of its sub-agent before that begins. Answers the session, while it works there. */
  task({ id, tool, state }: ToolPart): string | undefined {
    const child = text(record("metadata" in state ? state.metadata : undefined).sessionId)
    if (tool !== "task" || child === undefined) return undefined
    this.#parents.set(child, id)
    return state.status === "running" ? child : undefined
  }

  /** This session, or one that it started. */
  knows(session: string): boolean {
    return session === this.main || this.#parents.has(session)
  }

  contextOf(
    session: string,
    messageID: string,
  ): { parent: string | undefined; summary: boolean; broken: string | undefined } {
    return {
      parent: this.#parents.get(session),
      summary: this.#messages.get(messageID)?.summary ?? false,
      broken: this.#broken.get(session),
    }
  }

  forget(): void {
    this.#messages.clear()
    this.#parents.clear()
    this.#broken.clear()
    this.#current.clear()
  }
}

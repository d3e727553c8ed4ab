import { ampLimits } from "@sandbox-agent/schema/driver-limits"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { TurnError } from "@sandbox-agent/schema/event"
import { parseOfAgent } from "@sandbox-agent/schema/json-depth"
import type { NativeRef, OutMessage } from "../../core/driver.ts"
import type { Exit, LineOutcome, Sink } from "../../core/driver-sink.ts"
import type { Child } from "../../core/supervisor.ts"
import type { MCPConnectionStatus } from "./native.gen.ts"
import type { AssistantLine, InitLine, Line, ResultLine, UserLine } from "./native.ts"
import { errorOf, lossOf, notLoggedIn, startError } from "./outcome.ts"
import type { PendingRequests } from "./pending-requests.ts"
import type { Transcript } from "./transcript.ts"
import { usageOf } from "./usage.ts"

interface Sent {
  id: string
  settled: PromiseWithResolvers<void>
}

export interface ConversationParts {
  sink: Sink
  ref: NativeRef
  transcript: Transcript
  requests: PendingRequests
  silenceMs: number
  /** Everything that waits for a person is let go of. */
  dismiss(): void
  /** It has read its files. */
  started(): void
  /** Nothing more comes of it. */
  gone(): void
}

/**
 * One thread of Amp, over as many processes as it takes: it ends with every interrupt and every error, and tells the end
 * of a turn by its last answer, or by ending itself.
 */
export class Conversation {
  #child: Child | undefined
  #sent: Sent | undefined
  #result: ResultLine | undefined
  #loginAsked = false
  /** Between the message that was taken and the end of its turn. */
  #running = false
  #interrupted = false
  /** Its input has ended: it ends with its turn. */
  #ending = false
  #silence: Timer | undefined
  #endedAt = Number.NEGATIVE_INFINITY
  readonly #idle: (() => void)[] = []

  constructor(private readonly parts: ConversationParts) {}

  get child(): Child | undefined {
    return this.#child
  }

  attach(child: Child): void {
    this.#child = child
    this.#result = undefined
    this.#loginAsked = false
    this.#interrupted = false
    this.#ending = false
  }

  /** Resolves when the message is taken, or its turn is over without that. */
  async send({ id, brief }: OutMessage, line: string): Promise<void> {
    const child = this.#child
    if (child === undefined) throw new SandboxAgentError("agent_process_exited", "Amp is not running")
    const settled = Promise.withResolvers<void>()
    this.#sent = { id, settled }
    if (brief !== undefined) this.parts.sink.briefed(id)
    this.parts.sink.sent(line)
    // What ends it is told by its end.
    await child.write(line).catch(() => undefined)
    return settled.promise
  }

  async interrupt(): Promise<void> {
    const child = this.#child
    if (child === undefined || !(this.#running || this.#sent !== undefined)) return
    this.#interrupted = true
    child.signal("SIGINT")
    await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  line(raw: string): void {
    // What follows is how a person would log in, with a secret of theirs.
    if (raw.trim() === "" || this.#loginAsked) return
    this.parts.sink.line(raw, () => this.#read(raw))
    this.#listen()
  }

  /** One that is too long or too deep to be read. A turn ends with its process, at the latest. */
  passedOver(raw: string, error: Error): void {
    this.parts.sink.line(raw, () => {
      throw error
    })
  }

  #read(raw: string): LineOutcome {
    if (!raw.startsWith("{")) return this.#plain(raw)
    const line = parseOfAgent(raw) as Line
    switch (line.type) {
      case "system":
        return line.subtype === "init" ? this.#init(line) : "unknown"
      case "user":
        return this.#user(line)
      case "assistant":
        return this.#assistant(line)
      case "result":
        this.#result = line
        return
      default:
        return "unknown"
    }
  }

  /** Without a key it would wait for somebody to log in by a browser. */
  #plain(raw: string): void {
    if (!/^No API key found/.test(raw)) throw new Error("a line that is not JSON")
    this.#loginAsked = true
    void this.#child?.kill()
  }

  #init({ session_id, mcp_servers = [] }: InitLine): void {
    const { sink, ref, started } = this.parts
    started()
    if (ref.id !== session_id) {
      ref.id = session_id
      sink.session({ nativeSessionId: session_id })
    }
    for (const { name, status } of mcp_servers) if (status in broken) sink.mcpFailed(name, broken[status] ?? status)
  }

  #user(line: UserLine): void {
    const { sink, transcript, requests } = this.parts
    if (line.message.content.some(({ type }) => type === "tool_result")) {
      const [unasked] = transcript.results(line).filter(requests.isUnasked)
      if (unasked !== undefined) this.#distrust(unasked.name)
      return
    }
    const sent = this.#sent
    if (sent === undefined || line.parent_tool_use_id !== null) return
    this.#sent = undefined
    this.#running = true
    sink.taken(sent.id)
    sent.settled.resolve()
  }

  /** Settings that came into the workspace meanwhile let it run tools unasked: it does not go on. */
  #distrust(tool: string): void {
    const message = `Amp ran ${tool} without asking: its settings in the workspace allow that`
    this.parts.sink.error({ code: "permission_denied", message })
    void this.#child?.kill()
  }

  #assistant(line: AssistantLine): void {
    const { sink, transcript, requests } = this.parts
    const { content, stop_reason, usage } = line.message
    transcript.assistant(line)
    requests.called()
    const used = usageOf(usage)
    if (used !== undefined) sink.usage(used)
    const last = line.parent_tool_use_id === null && !content.some(({ type }) => type === "tool_use")
    // Without a reason it was cut short, and the end of the process says why.
    if (last && stop_reason !== null && !this.#ending && !this.#interrupted)
      this.#turnEnded(stop_reason === "max_tokens" ? "max_tokens" : "end_turn")
  }

  #turnEnded(stop: "end_turn" | "max_tokens" | "cancelled" | "error", error?: TurnError): void {
    const { sink, ref, transcript, requests } = this.parts
    if (!this.#running) return
    this.#running = false
    this.#endedAt = performance.now()
    transcript.end()
    requests.turnEnded()
    if (stop !== "cancelled" && !ref.durable) {
      ref.durable = true
      sink.session({ durable: true })
    }
    if (error !== undefined) sink.error(error)
    sink.turnEnded({ stop, ...(error && { error }) })
  }

  /** An empty answer is not told: one that is asked to end does so when its turn is over, and tells that. */
  #listen(): void {
    clearTimeout(this.#silence)
    const { transcript, requests, silenceMs } = this.parts
    if (!this.#running || this.#ending || transcript.calling || requests.waiting) return
    this.#silence = setTimeout(() => {
      this.#ending = true
      this.#child?.endInput()
    }, silenceMs)
    this.#silence.unref()
  }

  /** `ours`: we stopped it. */
  exited(exit: Exit, ours: boolean): void {
    clearTimeout(this.#silence)
    this.#child = undefined
    this.parts.requests.end()
    this.parts.dismiss()
    this.parts.started()
    if (this.#sent !== undefined) this.#notTaken(this.#sent, exit)
    else if (this.#running) this.#endedWith(exit)
    else if (!ours && (exit.code !== 0 || exit.signal !== undefined)) this.#lost(exit)
    for (const resolve of this.#idle.splice(0)) resolve()
  }

  #notTaken({ id, settled }: Sent, exit: Exit): void {
    const { sink } = this.parts
    this.#sent = undefined
    if (this.#interrupted) {
      sink.returned(id)
      sink.turnEnded({ stop: "cancelled" })
      return settled.resolve()
    }
    const error = this.#loginAsked ? notLoggedIn : this.#result?.error ? errorOf(this.#result.error) : startError(exit)
    if (error instanceof SandboxAgentError) return settled.reject(error)
    settled.resolve()
    // Whoever killed it, that says nothing of its words; for want of a key we did.
    if (error === undefined || (exit.signal !== undefined && !this.#loginAsked)) return this.#lost(exit)
    sink.error({ code: error.code, message: error.message })
    sink.turnEnded({ stop: "error", error })
  }

  #endedWith(exit: Exit): void {
    if (this.#interrupted) return this.#turnEnded("cancelled")
    const result = this.#result
    if (result === undefined) return this.#lost(exit)
    if (result.is_error) this.#turnEnded("error", errorOf(result.error ?? "no reason"))
    else this.#turnEnded("end_turn")
  }

  /** Killed, or it broke. What it has said last may not have come to its server. */
  #lost(exit: Exit): void {
    const { sink, ref, gone } = this.parts
    if (performance.now() - this.#endedAt < ampLimits.uploadMs) ref.durable = false
    this.#running = false
    sink.gone(this.#loginAsked ? { ...exit, message: notLoggedIn.message } : lossOf(exit))
    gone()
  }
}

/** What keeps a server from being used when the first message is taken. */
const broken: Readonly<Partial<Record<string, string> & Record<MCPConnectionStatus, string>>> = {
  failed: "it did not start",
  // Amp never says what became of it, and the first message goes without its tools.
  connecting: "it has not started yet",
  reconnecting: "it did not start, and is tried again",
  authenticating: "it wants a login",
  denied: "it is not allowed",
  "awaiting-approval": "it is not approved",
  "blocked-by-registry": "the registry does not allow it",
}

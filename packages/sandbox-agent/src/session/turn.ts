import { MessageError, SandboxAgentError, TurnError } from "../errors.ts"
import { Deadline } from "../http/deadline.ts"
import type { Event } from "../types.ts"
import type { FeedListener } from "./feed.ts"
import type { TurnResult } from "./session.ts"

/** What becomes of one message, as its session tells it. */
export class Turn implements FeedListener {
  readonly messageId: string
  readonly ended: Promise<TurnResult>
  /** It may have arrived. */
  sent = false
  /** Settles when it is known whether it has arrived. */
  sending: Promise<unknown> | undefined
  /** The caller has left, or its time is over. */
  givenUp = false
  /** It has come to its end, good or bad. */
  over = false
  /** A turn was begun for this message; one that it was steered into is of another. */
  begun = false
  /** The last event that it was told, or behind which it is told them. */
  seen = 0
  #resolve: (result: TurnResult) => void = () => undefined
  #reject: (error: SandboxAgentError) => void = () => undefined

  constructor(messageId: string) {
    this.messageId = messageId
    this.ended = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    // Nobody waits for it when sending has failed.
    this.ended.catch(() => undefined)
  }

  event(event: Event): void {
    this.seen = Math.max(this.seen, event.sequence)
    if (event.type === "turn.started" && event.data.message_ids.includes(this.messageId)) this.begun = true
    if (event.type === "message.updated" && event.data.message_id === this.messageId) {
      const { state, error } = event.data
      if (state === "withdrawn") this.#fail(new MessageError(this.messageId, "withdrawn", "The message was withdrawn"))
      if (state === "failed")
        this.#fail(new MessageError(this.messageId, error?.code ?? "failed", error?.message ?? "The message failed"))
    }
    if (event.type !== "turn.ended" || !event.data.message_ids.includes(this.messageId)) return
    const { turn_id: turnId, stop_reason: stopReason, error, usage, cost_usd: costUsd } = event.data
    if (stopReason === "error")
      return this.#fail(new TurnError(turnId, error ?? { code: "internal", message: "The turn failed" }))
    this.over = true
    this.#resolve({
      stopReason,
      turnId,
      messageId: this.messageId,
      ...(usage !== undefined && { usage }),
      ...(costUsd !== undefined && { costUsd }),
    })
  }

  failed(error: SandboxAgentError): void {
    this.#reject(error)
  }

  /** Nobody asks for it any more; the message goes its way. */
  closed(): void {
    this.#reject(
      new SandboxAgentError("aborted", "The session object was closed, or its client disposed, before the turn ended"),
    )
  }

  /** Without a time it has no end of its own: a turn takes as long as it takes. */
  async within<T>(
    what: string,
    signal: AbortSignal | undefined,
    timeoutMs: number | undefined,
    work: () => Promise<T>,
  ) {
    const deadline = new Deadline(what, signal, timeoutMs ?? Number.POSITIVE_INFINITY)
    try {
      return await deadline.hold(work())
    } catch (error) {
      this.givenUp = deadline.signal.aborted
      throw deadline.explain(error)
    } finally {
      deadline.release()
    }
  }

  #fail(error: SandboxAgentError): void {
    this.over = true
    this.#reject(error)
  }
}

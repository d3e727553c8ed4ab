import type { Rest } from "../api/rest.ts"
import type { CancelOptions, EventOptions } from "../api/universal.ts"
import { abortedError, ProblemError, SandboxAgentError } from "../errors.ts"
import type { EventStream } from "../http/event-stream.ts"
import type { CallOptions } from "../http/http.ts"
import type { Limits } from "../limits.ts"
import { messageOf, type Prompt } from "../prompt.ts"
import { randomId } from "../random-id.ts"
import { Transcript } from "../transcript/transcript.ts"
import type {
  CancelledTurn,
  CreatedSession,
  Event,
  ForkSessionRequest,
  PermissionMode,
  PermissionReply,
  PostedMessage,
  SessionInfo,
  StopReason,
  UpdatedSession,
} from "../types.ts"
import { Feed } from "./feed.ts"
import { lookBack } from "./look-back.ts"
import { type PermissionHandler, type QuestionHandler, Requests } from "./requests.ts"
import { Turn } from "./turn.ts"

export interface SendOptions extends CallOptions {
  /** Makes sending idempotent; one is made unless it is given. */
  messageId?: string
  /** `steer`: into the running turn, where the agent can. */
  delivery?: "queue" | "steer"
}

export interface TurnResult {
  stopReason: Exclude<StopReason, "error">
  turnId: string
  messageId: string
  usage?: NonNullable<SessionInfo["usage"]>
  costUsd?: number
}

/** A session, whoever made it. Holds nothing open unless somebody listens. */
export class Session implements Disposable {
  readonly id: string
  /** What creating answered, when this object did: whether the agent runs, and why not. */
  readonly created: CreatedSession | undefined
  /** What the log amounts to, live, for a user interface to bind to. */
  readonly transcript: Transcript
  readonly #api: Rest
  readonly #limits: Limits
  readonly #feed: Feed
  readonly #requests: Requests
  readonly #report: (error: Error) => void

  /** @internal */
  constructor(api: Rest, id: string, limits: Limits, report: (error: Error) => void, created?: CreatedSession) {
    this.id = id
    this.created = created
    this.#api = api
    this.#limits = limits
    this.#report = report
    this.#feed = new Feed(api, id, report)
    this.#requests = new Requests(api, id, this.#feed, limits, report)
    this.transcript = new Transcript(api, id, limits, report)
  }

  info(options?: CallOptions): Promise<SessionInfo> {
    return this.#api.getSession(this.id, options)
  }

  /** Puts a message in the queue; resolves when it is there. Asked again when the connection breaks, and never sent twice. */
  async send(prompt: Prompt, { messageId, delivery, ...options }: SendOptions = {}): Promise<PostedMessage> {
    return this.#api.postMessage(this.id, requestOf(prompt, messageId, delivery), options)
  }

  /**
   * Resolves when the turn that took the message has ended; rejects with a `TurnError` or `MessageError` when it failed. Aborting
   * withdraws the message, or cancels its turn while that runs; a turn that it was steered into goes on. With a `messageId` that the session knows it is not sent again: it resolves with what became of it,
   * also when that was long ago, and rejects with a `ProblemError` of code `gone` where the log is not kept that long.
   */
  async prompt(
    prompt: Prompt,
    { signal, timeoutMs, messageId: given, ...options }: SendOptions = {},
  ): Promise<TurnResult> {
    if (signal?.aborted) throw abortedError(`Prompting ${this.id}`, signal)
    const messageId = given ?? randomId("msg")
    const turn = new Turn(messageId)
    const left = new AbortController()
    const { leave, ready } = this.#feed.listen(turn)
    try {
      return await turn.within(`Prompting ${this.id}`, signal, timeoutMs, async () => {
        const since = await ready
        turn.seen = Math.max(turn.seen, since)
        turn.sent = true
        turn.sending = this.send(prompt, { ...options, messageId })
        await turn.sending
        turn.sending = undefined
        // One of ours is new. What became of another before we listened is not told again.
        if (given !== undefined) {
          const request = requestOf(prompt, messageId, options.delivery)
          const lookedBack = lookBack(this.#api, this.id, request, turn, since, this.#limits, left.signal)
          await Promise.race([turn.ended, lookedBack])
        }
        return turn.ended
      })
    } catch (error) {
      if (turn.givenUp && turn.sent && !turn.over) void this.#giveUp(turn)
      throw error
    } finally {
      leave()
      left.abort()
    }
  }

  /** Events from now on. Returns what ends it. For those of before, and to hold the stream back, there is `events()`. */
  onEvent(listener: (event: Event) => void, { onError = this.#report }: { onError?: (error: Error) => void } = {}) {
    const { leave } = this.#feed.listen({ event: listener, failed: onError })
    return leave
  }

  /** The log behind `offset`, then live, for ever; goes on through broken connections and restarts of the daemon. */
  events(options: EventOptions & { offset?: number } = {}): EventStream<Event> {
    return this.#api.streamEvents(this.id, options)
  }

  /** Each permission that waits, once. What the handler returns is the reply; or use the helpers of the request. */
  onPermission(handler: PermissionHandler): () => void {
    return this.#requests.onPermission(handler)
  }
  onQuestion(handler: QuestionHandler): () => void {
    return this.#requests.onQuestion(handler)
  }

  /** For who shows what waits: `transcript` has it. */
  replyPermission(
    permissionId: string,
    reply: PermissionReply | { reply: PermissionReply; message?: string },
    options?: CallOptions,
  ) {
    return this.#api.replyPermission(this.id, permissionId, reply, options)
  }
  replyQuestion(questionId: string, answers: string[][], options?: CallOptions) {
    return this.#api.replyQuestion(this.id, questionId, answers, options)
  }
  rejectQuestion(questionId: string, options?: CallOptions & { message?: string }) {
    return this.#api.rejectQuestion(this.id, questionId, options)
  }

  /** Interrupts the running turn; resolves when it has ended. */
  cancel(options?: CancelOptions): Promise<CancelledTurn> {
    return this.#api.cancelTurn(this.id, options)
  }
  setMode(agentMode: string, options?: CallOptions): Promise<UpdatedSession> {
    return this.#api.patchSession(this.id, { agentMode }, options)
  }
  setModel(model: string, options?: CallOptions): Promise<UpdatedSession> {
    return this.#api.patchSession(this.id, { model }, options)
  }
  setVariant(variant: string, options?: CallOptions): Promise<UpdatedSession> {
    return this.#api.patchSession(this.id, { variant }, options)
  }
  setPermissionMode(permissionMode: PermissionMode, options?: CallOptions): Promise<UpdatedSession> {
    return this.#api.patchSession(this.id, { permissionMode }, options)
  }

  /** A new session from this one; with `agent`, of another agent, which is told of this one in a brief. */
  async fork(request: Partial<ForkSessionRequest> = {}, options?: CallOptions): Promise<Session> {
    const named = { ...request, id: request.id ?? randomId("ses") }
    const forked = await this.#api.forkSession(this.id, named, options)
    return new Session(this.#api, forked.session.id, this.#limits, this.#report, forked)
  }
  async terminate(options?: CallOptions): Promise<void> {
    await this.#api.terminateSession(this.id, options)
  }
  resume(options?: CallOptions): Promise<CreatedSession> {
    return this.#api.resumeSession(this.id, options)
  }
  /** With its log. */
  async delete(options?: CallOptions): Promise<void> {
    await this.#api.deleteSession(this.id, options)
  }

  /** Leaves it: listeners, prompts that wait and the transcript end, the session goes on. */
  close(): void {
    this.#requests.stop()
    this.#feed.close()
    this.transcript.close()
  }
  [Symbol.dispose](): void {
    this.close()
  }

  async #giveUp(turn: Turn): Promise<void> {
    const { sending } = turn
    try {
      if ((await this.#takeBack(turn)) || sending === undefined) return
      // Still on its way: the daemon may be fetching its files, and takes it then.
      await sending.catch(() => undefined)
      await this.#takeBack(turn)
    } catch (error) {
      this.#tell(error)
    }
  }

  /** False: it has not arrived. */
  async #takeBack(turn: Turn): Promise<boolean> {
    try {
      await this.#api.withdrawMessage(this.id, turn.messageId)
    } catch (error) {
      if (!(error instanceof ProblemError) || (error.status !== 404 && error.status !== 409)) throw error
      if (error.status === 404) return false
      // The agent has it.
      await this.#cancelOwn(turn)
    }
    return true
  }

  /** What runs by now may be the turn of somebody else, and the API cancels whatever runs. */
  async #cancelOwn(turn: Turn): Promise<void> {
    for (let hasMore = true; hasMore; ) {
      const page = await this.#api.getEvents(this.id, { offset: turn.seen })
      for (const event of page.events) turn.event(event)
      hasMore = page.hasMore && !turn.over
    }
    if (turn.begun && !turn.over) await this.#api.cancelTurn(this.id)
  }

  #tell(error: unknown): void {
    this.#report(error instanceof Error ? error : new SandboxAgentError("protocol", String(error), error))
  }
}

const requestOf = (prompt: Prompt, messageId: string | undefined, delivery: SendOptions["delivery"]) => ({
  ...messageOf(prompt),
  ...(messageId !== undefined && { messageId }),
  ...(delivery !== undefined && { delivery }),
})

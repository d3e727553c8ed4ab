import { backOff, pause, type ServerEvent } from "acp-http-client"
import { abortedError, isSandboxAgentError, ProblemError, SandboxAgentError } from "../errors.ts"
import { BodyEvents } from "./body-events.ts"
import { type Answer, type Http, isPassing, readProblem } from "./http.ts"

export interface StreamState {
  state: "open" | "reconnecting"
  /** Failed attempts in a row. */
  attempt: number
  error?: SandboxAgentError
}

/** @internal */
export interface StreamSource<T> {
  what: string
  http: Http
  /** Opens the stream behind the last event that was taken. `first`: it was not open yet. */
  open(opening: { cursor: string | undefined; signal: AbortSignal; first: boolean }): Promise<Answer>
  /** What an event is; undefined leaves it out. */
  read(event: ServerEvent): T | undefined
  /** Where to go on from after this event. Undefined: the stream cannot be opened again. */
  cursor?: (event: ServerEvent) => string | undefined
  /** True for the event after which there are no more. */
  isLast?: (value: T) => boolean
  signal?: AbortSignal
  onState?: (state: StreamState) => void
}

type Result<T> = IteratorResult<T, undefined>

/**
 * Events of a stream that is opened again from the last one taken whenever it breaks. Nothing is read from the socket before it is
 * asked for, beyond the piece in hand: a slow reader holds back the sender, not memory.
 */
export class EventStream<T> implements AsyncIterableIterator<T, undefined> {
  readonly #source: StreamSource<T>
  readonly #stop = new AbortController()
  readonly #onAbort: () => void
  /** Of the client, which counts once it was opened: one that nobody reads holds on to nothing. */
  #leaveLifetime: (() => void) | undefined
  #ready: T[] = []
  #at = 0
  #body: BodyEvents | undefined
  #release: () => void = () => undefined
  #cursor: string | undefined
  #wasOpen = false
  #failures = 0
  #over: { error?: SandboxAgentError } | undefined
  /** The stream is broken behind what is ready. */
  #fault: ProblemError | undefined
  /** Calls are answered in the order they were made. */
  #turn: Promise<unknown> = Promise.resolve()
  #waiting = 0

  /** @internal */
  constructor(source: StreamSource<T>, cursor?: string) {
    this.#source = source
    this.#cursor = cursor
    const { signal } = source
    this.#onAbort = () => signal && this.#end(abortedError(source.what, signal))
    if (signal?.aborted) this.#onAbort()
    else signal?.addEventListener("abort", this.#onAbort)
  }

  /** Opens the stream before its first event is asked for. */
  async opened(): Promise<this> {
    if (this.#over === undefined && this.#ready.length === 0) await this.#inTurn(() => this.#ensureOpen())
    return this
  }

  next(): Promise<Result<T>> {
    // What has come already costs no turn of the loop.
    const value = this.#ready[this.#at]
    if (value !== undefined && this.#waiting === 0 && !this.#source.isLast?.(value)) {
      this.#at++
      return Promise.resolve({ done: false, value })
    }
    return this.#inTurn(() => this.#pull())
  }

  async return(): Promise<Result<T>> {
    this.#end()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#end()
    return Promise.resolve()
  }

  #inTurn<R>(work: () => Promise<R>): Promise<R> {
    this.#waiting++
    const mine = this.#turn.then(work).finally(() => this.#waiting--)
    this.#turn = mine.catch(() => undefined)
    return mine
  }

  async #pull(): Promise<Result<T>> {
    for (;;) {
      if (this.#over !== undefined) return this.#last()
      const value = this.#ready[this.#at]
      if (value !== undefined) {
        this.#at++
        if (this.#source.isLast?.(value)) this.#end()
        return { done: false, value }
      }
      try {
        await this.#fill()
      } catch (error) {
        this.#end(asError(error, this.#source.what))
      }
    }
  }

  /** The error once, then the end. */
  #last(): Result<T> {
    const error = this.#over?.error
    this.#over = {}
    if (error !== undefined) throw error
    return { done: true, value: undefined }
  }

  async #fill(): Promise<void> {
    const body = await this.#ensureOpen()
    let events: ServerEvent[] | undefined
    try {
      events = await body.next()
    } catch (error) {
      const broke = asError(error, this.#source.what)
      // One that spoke was a good one; one that only began and fell silent is not.
      if (body.heard > (broke.kind === "timeout" ? 1 : 0)) this.#failures = 0
      return this.#broke(broke)
    }
    if (body.heard > 0) this.#failures = 0
    if (events === undefined) return this.#broke(undefined)
    this.#at = 0
    this.#ready = []
    for (const event of events) this.#take(event)
  }

  #take(event: ServerEvent): void {
    if (event.data === "") {
      // A stream begins by saying its own place.
      this.#cursor = this.#source.cursor?.(event) ?? this.#cursor
      return
    }
    const problem = event.event === "error" ? readProblem(event.data) : undefined
    if (problem !== undefined) {
      const error = new ProblemError(this.#source.what, problem.status, event.data, problem)
      // Those in front of it are given first.
      if (this.#ready.length === 0) throw error
      this.#fault = error
      return
    }
    const value = this.#source.read(event)
    this.#cursor = this.#source.cursor?.(event) ?? this.#cursor
    if (value !== undefined) this.#ready.push(value)
  }

  async #ensureOpen(): Promise<BodyEvents> {
    if (this.#fault !== undefined) throw this.#fault
    const { http, what } = this.#source
    this.#leaveLifetime ??= http.lifetime.whenOver(() => this.#end(http.lifetime.error(what)))
    while (this.#body === undefined) {
      if (this.#over !== undefined)
        throw this.#over.error ?? new SandboxAgentError("aborted", `${this.#source.what}: closed`)
      try {
        await this.#open()
      } catch (error) {
        await this.#broke(asError(error, this.#source.what))
      }
    }
    return this.#body
  }

  async #open(): Promise<void> {
    const { http, open, onState } = this.#source
    const { response, deadline } = await open({
      cursor: this.#cursor,
      signal: this.#stop.signal,
      first: !this.#wasOpen,
    })
    deadline.disarm()
    this.#release = () => deadline.release()
    if (this.#over !== undefined || response.body === null) {
      deadline.release()
      throw new SandboxAgentError("protocol", `${this.#source.what}: the stream has no body`)
    }
    const type = response.headers.get("content-type") ?? ""
    if (!type.startsWith("text/event-stream"))
      throw new SandboxAgentError("protocol", `${this.#source.what}: answered with ${type || "no type"}`)
    this.#body = new BodyEvents(response.body, this.#stop.signal, http.limits)
    this.#wasOpen = true
    onState?.({ state: "open", attempt: 0 })
  }

  /** Waits for the next attempt, or throws what ends the stream. */
  async #broke(error: SandboxAgentError | undefined): Promise<void> {
    this.#closeBody()
    if (this.#over !== undefined) return
    const { cursor, what, http, onState } = this.#source
    const cut = error ?? new SandboxAgentError("network", `${what}: the stream ended too early`)
    // A request to open it was tried as often as it makes sense; what was open once is worth more patience.
    if (!this.#wasOpen || cursor === undefined || (error !== undefined && !isPassing(error))) throw cut
    if (this.#failures >= http.limits.reconnectAttempts) throw cut
    this.#failures++
    onState?.({ state: "reconnecting", attempt: this.#failures, error: cut })
    const { pauseMinMs, pauseMaxMs } = http.limits
    const asked = cut instanceof ProblemError ? (cut.retryAfterMs ?? 0) : 0
    await pause(Math.max(backOff(this.#failures - 1, pauseMinMs, pauseMaxMs), asked), this.#stop.signal)
  }

  #end(error?: SandboxAgentError): void {
    if (this.#over !== undefined) return
    this.#over = { error }
    this.#ready = []
    this.#source.signal?.removeEventListener("abort", this.#onAbort)
    this.#leaveLifetime?.()
    this.#stop.abort()
    this.#closeBody()
  }

  #closeBody(): void {
    this.#body?.close()
    this.#body = undefined
    this.#release()
    this.#release = () => undefined
  }
}

const asError = (error: unknown, what: string): SandboxAgentError =>
  isSandboxAgentError(error) ? error : new SandboxAgentError("network", `${what}: ${String(error)}`, error)

import { AcpError, AcpHttpError } from "./errors.ts"
import { type Answer, discard, networkError } from "./http.ts"
import { type Limits, maxEventIdChars } from "./limits.ts"
import { backOff, pause } from "./pause.ts"
import { SilenceTimer } from "./silence-timer.ts"
import { type ServerEvent, SseParser } from "./sse.ts"

export interface StreamOwner {
  /** Resolves with an open event stream. */
  open(lastEventId: string | undefined, signal: AbortSignal): Promise<Answer>
  /** One event, in order and never twice. Reading waits for a promise. */
  event(event: ServerEvent): void | Promise<void>
  opened(): void
  /** An open stream broke or ended; it is being opened again. */
  broke(error: AcpError | undefined, attempt: number, delayMs: number): void
  /** Given up. Nothing comes after it. */
  failed(error: AcpError): void
}

interface Progress {
  openedAt?: number
  heard: boolean
}

/** One event stream that is opened again whenever it ends, from the last event seen, until it is stopped or given up. */
export class EventStream {
  /** Settles at the first opening. */
  readonly ready: Promise<void>
  readonly #owner: StreamOwner
  readonly #limits: Limits
  readonly #stop = new AbortController()
  readonly #recent = new Map<string, string>()
  #lastEventId: string | undefined
  #retryMs: number | undefined
  #keepAlives = false
  #wasOpen = false
  #isReady: () => void = () => undefined
  #isNotReady: (error: AcpError) => void = () => undefined

  constructor(owner: StreamOwner, limits: Limits) {
    this.#owner = owner
    this.#limits = limits
    this.ready = new Promise((resolve, reject) => {
      this.#isReady = resolve
      this.#isNotReady = reject
    })
    // Who waits for it gets the error; nobody has to.
    this.ready.catch(() => undefined)
    void this.#run()
  }

  stop(): void {
    this.#stop.abort()
    this.#isNotReady(new AcpError("closed", "The stream was closed"))
  }

  async #run(): Promise<void> {
    let failures = 0
    while (!this.#stop.signal.aborted) {
      const progress: Progress = { heard: false }
      let error: AcpError | undefined
      try {
        await this.#readOnce(progress)
      } catch (cause) {
        error = networkError("The event stream broke", cause)
      }
      if (this.#stop.signal.aborted) return
      if (error !== undefined && isFinal(error)) return this.#fail(error)
      // A stream that spoke, or stood for a while, was a good one; a server that only accepts and closes is not.
      const good = progress.heard || (progress.openedAt !== undefined && performance.now() - progress.openedAt > 5_000)
      failures = good ? 0 : failures + 1
      if (failures >= this.#limits.reconnectAttempts)
        return this.#fail(new AcpError("lost", `The event stream is lost after ${failures} attempts`, error))
      const delay = this.#delay(failures, error)
      this.#owner.broke(error, failures, delay)
      await pause(delay, this.#stop.signal)
    }
  }

  #delay(failures: number, error: AcpError | undefined): number {
    const { reconnectMinMs, reconnectMaxMs } = this.#limits
    const asked = error instanceof AcpHttpError ? error.retryAfterMs : this.#retryMs
    return Math.max(backOff(failures, reconnectMinMs, reconnectMaxMs), Math.min(asked ?? 0, reconnectMaxMs))
  }

  async #readOnce(progress: Progress): Promise<void> {
    const watch = new SilenceTimer(this.#stop.signal, () =>
      this.#keepAlives ? this.#limits.stallMs : this.#limits.silenceMs,
    )
    try {
      const { response, release } = await this.#owner.open(this.#lastEventId, watch.signal)
      try {
        if (response.body === null) throw new AcpError("protocol", "The event stream has no body")
        progress.openedAt = performance.now()
        this.#wasOpen = true
        this.#isReady()
        this.#owner.opened()
        await this.#readBody(response.body, watch, progress)
      } finally {
        release()
      }
    } finally {
      watch.end()
    }
  }

  async #readBody(body: ReadableStream<Uint8Array>, watch: SilenceTimer, progress: { heard: boolean }): Promise<void> {
    const parser = new SseParser(this.#limits.messageChars)
    const reader = body.getReader()
    try {
      for (;;) {
        const { done, value } = await watch.during(reader.read())
        if (done) return
        progress.heard = true
        const events = parser.push(value)
        this.#retryMs = parser.retryMs ?? this.#retryMs
        this.#keepAlives ||= parser.comments > 0
        for (const event of events) {
          // Only a full reader makes us wait: a promise per event would cost more than the parsing.
          const wait = this.#deliver(event)
          if (wait !== undefined) await wait
          if (this.#stop.signal.aborted) return
        }
      }
    } finally {
      discard(reader)
    }
  }

  #deliver(event: ServerEvent): void | Promise<void> {
    const { id, data } = event
    const known = id !== undefined && this.#recent.get(id) === data
    if (id !== undefined && id.length <= maxEventIdChars) {
      this.#lastEventId = id === "" ? undefined : id
      if (!known && data !== "") this.#remember(id, data)
    }
    if (known || data === "") return
    return this.#owner.event(event)
  }

  /** Same id and same data is the same event. An id alone is not enough: a restarted server may count from one again. */
  #remember(id: string, data: string): void {
    if (id === "" || data.length > this.#limits.rememberedEventChars) return
    this.#recent.delete(id)
    this.#recent.set(id, data)
    if (this.#recent.size <= this.#limits.rememberedEvents) return
    for (const oldest of this.#recent.keys()) {
      this.#recent.delete(oldest)
      return
    }
  }

  #fail(error: AcpError): void {
    const reason =
      this.#wasOpen && error.kind === "http"
        ? new AcpError("lost", "The server no longer has the stream", error)
        : error
    this.#stop.abort()
    this.#isNotReady(reason)
    this.#owner.failed(reason)
  }
}

/** Asking again would not help. 409: the server has not noticed yet that our last stream is gone. */
function isFinal(error: AcpError): boolean {
  if (error instanceof AcpHttpError)
    return (
      error.status < 500 && error.status !== 408 && error.status !== 409 && error.status !== 425 && error.status !== 429
    )
  return ["protocol", "too_large", "argument"].includes(error.kind)
}

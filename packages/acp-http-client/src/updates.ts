import { CatchingUp } from "./catching-up.ts"
import { AcpError, abortError } from "./errors.ts"
import type { Limits } from "./limits.ts"
import type { SessionNotification } from "./protocol.ts"
import { timerOf } from "./timer.ts"

/** Counts calls, so that what was before one is told from what came after. */
interface Clock {
  now: number
}

interface Waiter {
  resolve(result: IteratorResult<SessionNotification, undefined>): void
  reject(error: AcpError): void
}

/** Updates as they come. A reader that is full stops the stream it reads from. */
export class UpdateReader implements AsyncIterableIterator<SessionNotification, undefined> {
  readonly #limits: Limits
  readonly #leave: () => void
  readonly #clock: Clock
  readonly #catchingUp: CatchingUp
  /** When it was given something last; never, or it has stopped to take anything: -1. */
  #givenAt = -1
  #queue: { update: SessionNotification; chars: number }[] = []
  #chars = 0
  #waiters: Waiter[] = []
  #ended = false
  #error: AcpError | undefined
  /** The stream waits for room. */
  #room: { promise: Promise<void>; open(): void; timer: ReturnType<typeof setTimeout> | undefined } | undefined

  constructor(limits: Limits, clock: Clock, leave: (reader: UpdateReader) => void) {
    this.#limits = limits
    this.#clock = clock
    this.#catchingUp = new CatchingUp(limits.readersBehindMs)
    this.#leave = () => leave(this)
  }

  next(): Promise<IteratorResult<SessionNotification, undefined>> {
    this.#catchingUp.asked()
    const first = this.#queue.shift()
    if (first !== undefined) {
      this.#givenAt = this.#clock.now
      this.#chars -= first.chars
      this.#taken()
      return Promise.resolve({ done: false, value: first.update })
    }
    if (this.#error !== undefined) {
      const error = this.#error
      this.#error = undefined
      return Promise.reject(error)
    }
    if (this.#ended) return Promise.resolve({ done: true, value: undefined })
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject })
    })
  }

  return(): Promise<IteratorResult<SessionNotification, undefined>> {
    this.#queue = []
    this.end()
    this.#catchingUp.end()
    return Promise.resolve({ done: true, value: undefined })
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** @internal The promise, if there is one, asks to bring no more until it resolves. */
  push(update: SessionNotification, chars: number): Promise<void> | undefined {
    if (this.#ended) return undefined
    this.#catchingUp.pushed()
    const waiter = this.#waiters.shift()
    if (waiter !== undefined) {
      this.#givenAt = this.#clock.now
      waiter.resolve({ done: false, value: update })
      return undefined
    }
    this.#queue.push({ update, chars })
    this.#chars += chars
    if (this.#queue.length < this.#limits.queuedUpdates && this.#chars < this.#limits.queuedUpdateChars)
      return undefined
    this.#room ??= this.#makeRoom()
    return this.#room.promise
  }

  /**
   * @internal For the answer to a call of that time: a promise while the reader is not done with what came before it. One that has
   * taken nothing since that call is not waited for: it may itself wait for the answer.
   */
  behind(since: number): Promise<void> | undefined {
    if (this.#waiters.length === 0 && this.#givenAt < since) return undefined
    return this.#catchingUp.done(() => {
      this.#givenAt = -1
    })
  }

  /** @internal Nobody waits for it any more. */
  unawaited(): void {
    this.#catchingUp.end()
  }

  /** @internal What is queued can still be read; then comes the error, or the end. */
  end(error?: AcpError): void {
    if (this.#ended) return
    this.#ended = true
    this.#leave()
    this.#giveRoom()
    const [first, ...others] = this.#waiters
    this.#waiters = []
    if (error !== undefined && first === undefined) this.#error = error
    if (error === undefined) first?.resolve({ done: true, value: undefined })
    else first?.reject(error)
    for (const waiter of others) waiter.resolve({ done: true, value: undefined })
  }

  #makeRoom() {
    let open: () => void = () => undefined
    const promise = new Promise<void>((resolve) => {
      open = resolve
    })
    return { promise, open, timer: this.#stallTimer() }
  }

  #stallTimer() {
    const { readerStallMs } = this.#limits
    return timerOf(() => {
      const behind = this.#queue.length
      this.#queue = []
      this.#catchingUp.end()
      this.end(new AcpError("overflow", `Nobody read ${behind} updates for ${readerStallMs} ms`))
    }, readerStallMs)
  }

  #taken(): void {
    if (this.#room === undefined) return
    const { queuedUpdates, queuedUpdateChars } = this.#limits
    if (this.#queue.length * 2 <= queuedUpdates && this.#chars * 2 <= queuedUpdateChars) return this.#giveRoom()
    clearTimeout(this.#room.timer)
    this.#room.timer = this.#stallTimer()
  }

  #giveRoom(): void {
    if (this.#room === undefined) return
    clearTimeout(this.#room.timer)
    this.#room.open()
    this.#room = undefined
  }
}

/** Hands updates to the readers that want them. */
export class Updates {
  readonly #limits: Limits
  readonly #readers = new Map<UpdateReader, string | undefined>()
  readonly #clock: Clock = { now: 0 }
  #ended: { error?: AcpError } | undefined

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** Reads from now on; what came before is not kept. */
  reader(sessionId: string | undefined, signal: AbortSignal | undefined): UpdateReader {
    const onAbort = () => signal && reader.end(abortError(signal))
    const reader = new UpdateReader(this.#limits, this.#clock, (left) => {
      this.#readers.delete(left)
      signal?.removeEventListener("abort", onAbort)
    })
    this.#readers.set(reader, sessionId)
    if (this.#ended !== undefined) reader.end(this.#ended.error)
    else if (signal?.aborted) onAbort()
    else signal?.addEventListener("abort", onAbort)
    return reader
  }

  deliver(update: SessionNotification, chars: number): Promise<void> | undefined {
    let full: Promise<void>[] | undefined
    for (const [reader, sessionId] of this.#readers) {
      if (sessionId !== undefined && sessionId !== update.sessionId) continue
      const wait = reader.push(update, chars)
      if (wait !== undefined) {
        full ??= []
        full.push(wait)
      }
    }
    return full && Promise.all(full).then(() => undefined)
  }

  /** A call begins now. */
  begin(): number {
    return ++this.#clock.now
  }

  /** A promise while readers of this session are not done with what has come so far. */
  behind(sessionId: string, since: number): Promise<unknown> | undefined {
    let waits: Promise<void>[] | undefined
    for (const [reader, wanted] of this.#readers) {
      const wait = wanted === undefined || wanted === sessionId ? reader.behind(since) : undefined
      if (wait !== undefined) waits = [...(waits ?? []), wait]
    }
    return waits && Promise.all(waits)
  }

  endSession(sessionId: string, error?: AcpError): void {
    for (const [reader, wanted] of this.#readers) if (wanted === sessionId) reader.end(error)
  }

  end(error?: AcpError): void {
    this.#ended = { error }
    for (const reader of this.#readers.keys()) {
      reader.end(error)
      reader.unawaited()
    }
  }
}

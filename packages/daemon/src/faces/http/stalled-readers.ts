import { intervals } from "@sandbox-agent/schema/intervals"
import type { Server } from "bun"
import type { Logger } from "../../core/context.ts"
import { sendQueues } from "./send-queues.ts"
import { Unsent } from "./unsent.ts"

/** Looks without a change before a reader is closed. Counted, so that time in which the daemon itself slept is nobody's stall. */
const LOOKS = 8

/** The most that Bun takes. */
const BUN_SECONDS = 255

/** One stream, as it shows itself to the watch. */
export class WatchedReader {
  /** Bytes its socket was given. */
  given = 0
  /** Waits for the log and not for its socket: what it was given is all with the kernel. */
  hasAll = false
  /** Took nothing for too long. Final: should it wake up now, its stream ends all the same. */
  stalled = false
  #before: { given: number; hasAll: boolean; queue: number | undefined } | undefined
  #looks = 0

  constructor(readonly request: Request) {}

  /** Waits until the connection of a stalled one is cut: an orderly end would tell a client that wakes up that it has all. */
  async cut(): Promise<void> {
    const { signal } = this.request
    if (!this.stalled || signal.aborted) return
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }))
  }

  /** Looks in a row that found nothing taken since the one before. */
  look(queue: number | undefined): number {
    const { given, hasAll } = this
    const before = this.#before
    this.#before = { given, hasAll, queue }
    if (before === undefined || before.hasAll !== hasAll) this.#looks = 0
    else if (!hasAll) this.#looks = given === before.given && queue === before.queue ? this.#looks + 1 : 0
    // A heartbeat makes the queue longer, by its bytes and the chunk around them: whoever takes any makes it shorter.
    else if (queue && before.queue && queue - before.queue >= given - before.given) this.#looks++
    else this.#looks = 0
    return this.#looks
  }
}

/**
 * Closes streams whose client takes nothing: it comes back with its cursor. Bun's own timeout sees only whether a socket
 * has room again or was written to: it would cut a client that is merely slow, and here it is off.
 */
export class StalledReaders {
  /** Whose connections these are; known once it listens. */
  server: Pick<Server<undefined>, "port" | "requestIP" | "timeout"> | undefined
  readonly #readers = new Set<WatchedReader>()
  #timer: Timer | undefined
  readonly #unsent: Unsent

  constructor(
    readonly seconds: number,
    readonly log: Logger,
    /** Silence on a stream before its client is sent a comment. */
    readonly heartbeatMs: number = intervals.heartbeatMs,
  ) {
    this.#unsent = new Unsent(log)
  }

  /** When a connection is closed on which nobody waits. */
  get idleSeconds(): number {
    return Math.min(this.seconds, BUN_SECONDS)
  }

  watch(request: Request): WatchedReader {
    const reader = new WatchedReader(request)
    this.#readers.add(reader)
    this.#unsent.opened(this.#readers.size)
    this.server?.timeout(request, 0)
    this.#timer ??= setInterval(() => this.#look(), (this.seconds * 1_000) / LOOKS)
    return reader
  }

  /** A request that waits for its answer is not idle, however long that takes. */
  async hold<T>(request: Request, answer: Promise<T>): Promise<T> {
    this.server?.timeout(request, 0)
    try {
      return await answer
    } finally {
      this.server?.timeout(request, this.idleSeconds)
    }
  }

  forget(reader: WatchedReader): void {
    this.#readers.delete(reader)
    // The connection may be used again, and is like any other then.
    if (!reader.stalled) this.server?.timeout(reader.request, this.idleSeconds)
    if (this.#readers.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #look(): void {
    const { server } = this
    if (server === undefined) return
    const queues = sendQueues(server.port ?? 0)
    for (const reader of this.#readers) {
      const queue = queues.get(server.requestIP(reader.request)?.port ?? 0)
      if (reader.look(queue) >= LOOKS && !reader.stalled) {
        reader.stalled = true
        this.log("info", "a stream was closed: its client took nothing", { seconds: this.seconds })
      }
      // The shortest time there is, after which Bun cuts the connection. Again at each look: a write sets it back.
      if (reader.stalled) server.timeout(reader.request, 1)
    }
  }
}

import { mkdirSync, readdirSync } from "node:fs"
import type { Logger } from "../../core/context.ts"
import { headBytes, headOf, type LogRecord, type RecordKind } from "./log-format.ts"
import { LogSegment } from "./log-segment.ts"

/** A log is kept in this many parts; when it is full the oldest goes. */
const parts = 8

export interface LogOptions {
  folder: string
  /** Bytes on disk. */
  most: number
  log: Logger
}

/** What one process wrote, on disk, the newest of it. Sequences begin at 1 and have no gap but what a full disk leaves. */
export class ProcessLog {
  readonly waiting = new Set<() => void>()
  readonly #segments: LogSegment[] = []
  #next = 1
  #lost = false
  #closed = false

  constructor(private readonly options: LogOptions) {
    mkdirSync(options.folder, { recursive: true, mode: 0o700 })
  }

  /** The log of a process of an earlier daemon, as far as it was written. */
  static async load(options: LogOptions): Promise<ProcessLog> {
    const log = new ProcessLog(options)
    const names = readdirSync(options.folder).filter((name) => /^log-\d+$/.test(name))
    for (const first of names.map((name) => Number(name.slice(4))).sort((a, b) => a - b)) {
      const segment = new LogSegment(options.folder, first)
      await segment.load()
      log.#segments.push(segment)
      log.#next = segment.last + 1
    }
    log.close()
    return log
  }

  /** The first that is kept; one more than the last when there is none. */
  get first(): number {
    return this.#segments.find(({ count }) => count > 0)?.first ?? this.#next
  }

  get last(): number {
    return this.#next - 1
  }

  get bytes(): number {
    return this.#segments.reduce((sum, segment) => sum + segment.bytes, 0)
  }

  get closed(): boolean {
    return this.#closed
  }

  append(kind: RecordKind, bytes: Uint8Array): void {
    if (this.#closed) return
    const head = headOf(kind, Date.now(), bytes.length)
    try {
      this.#segmentFor(headBytes + bytes.length).append(head, bytes)
      this.#lost = false
    } catch (error) {
      // The process goes on: what is missing is seen by its number.
      if (!this.#lost) this.options.log("warn", "output of a process could not be kept", { error: String(error) })
      this.#lost = true
    }
    this.#next++
    this.wake()
  }

  /** Records after a sequence, a part of them; none when there are no more yet. */
  async read(after: number): Promise<LogRecord[]> {
    const from = Math.max(after + 1, this.first)
    const segment = this.#segments.find((one) => one.count > 0 && one.last >= from)
    return segment === undefined ? [] : segment.read(Math.max(from, segment.first))
  }

  /** Nothing more comes. */
  close(): void {
    this.#closed = true
    for (const segment of this.#segments) segment.close()
    this.wake()
  }

  wake(): void {
    const waiting = [...this.waiting]
    this.waiting.clear()
    for (const resume of waiting) resume()
  }

  #segmentFor(bytes: number): LogSegment {
    const { folder, most } = this.options
    const current = this.#segments.at(-1)
    const fits = current !== undefined && !this.#lost && current.bytes + bytes <= most / parts
    if (fits || current?.first === this.#next) return current as LogSegment
    current?.close()
    // One that took nothing, because the disk did not.
    if (current?.count === 0) this.#segments.pop()?.remove()
    while (this.#segments.length > 0 && this.bytes + bytes > most - most / parts) this.#segments.shift()?.remove()
    const segment = new LogSegment(folder, this.#next)
    this.#segments.push(segment)
    return segment
  }
}

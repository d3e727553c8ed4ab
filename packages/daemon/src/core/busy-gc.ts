import { limits } from "@sandbox-agent/schema/limits"
import { cpuUsedMs } from "./idle-gc.ts"

/** The engine's own `fullGC` leaves what it freed with the heap, which grows from turn to turn; this gives it back. */
const collectAndGiveBack = () => Bun.gc(true)

/**
 * Collects garbage while work goes on, by how much of it was written: left alone, Bun lets a heap of ten megabytes grow
 * by a hundred before it looks at it. A heap that takes long to look through is looked at less often.
 */
export class BusyGc {
  #written = 0
  #read = 0
  /** Runs out when nothing was written for a moment. */
  #rested: Timer | undefined
  /** Processor time of the last collection, and how much was used in all when it ended. */
  #took = 0
  #ended: number

  constructor(
    private readonly collect: () => void = collectAndGiveBack,
    private readonly used: () => number = cpuUsedMs,
  ) {
    this.#ended = used()
  }

  /** Told after each commit. A short turn is not held up by a collection; in a flood there is no better moment. */
  wrote(bytes: number): void {
    this.#written += bytes
    if (this.#written < limits.collectBytes) return
    if (bytes > limits.redoCommitChars || this.#written >= 2 * limits.collectBytes) this.#collect()
    else this.#rested = this.#rested?.refresh() ?? setTimeout(this.#collect, limits.collectRestMs)
  }

  /** Told what readers took from the database: it is garbage once they have given it to their clients. */
  read(bytes: number): void {
    this.#read += bytes
    if (this.#read >= limits.collectReadBytes) this.#collect()
  }

  readonly #collect = (): void => {
    clearTimeout(this.#rested)
    this.#rested = undefined
    const began = this.used()
    if (began - this.#ended < this.#took / limits.collectShare) return
    this.collect()
    this.#written = 0
    this.#read = 0
    this.#ended = this.used()
    this.#took = this.#ended - began
  }
}

import { limits } from "@sandbox-agent/schema/limits"
import type { LineRun } from "./line-run.ts"

/** A run of committed events, as SSE frames. Shared by every reader, never changed. */
export interface Page {
  readonly first: number
  readonly count: number
  /** Where its first event stands in the order of all logs; the others follow. */
  readonly pos: number
  readonly bytes: Uint8Array
  /** Number of the native line each event came from, 0 = none; absent when none came from any. */
  readonly raws?: Uint32Array
  /** The native lines that were written with it, where its log is one `withLines`. */
  readonly lines?: LineRun
}

/** What a page takes in memory. */
export const sizeOf = ({ bytes, lines }: Page): number => bytes.length + (lines?.bytes.length ?? 0)

/**
 * The committed end of one append-only log and who waits for it. Readers hold a cursor and nothing else; the tail
 * serves those who keep up, the database everyone else.
 */
export class Log {
  first = 1
  /** Last committed sequence. */
  last = 0
  closed = false
  /** Told of each reader that leaves. */
  onLeft: (() => void) | undefined
  readonly waiting = new Set<() => void>()
  #readers = 0
  readonly #unread: (() => void)[] = []
  #tail: Page[] = []
  #tailBytes = 0

  constructor(
    readonly uid: number,
    /** Its readers are told the native lines themselves: pages have them. */
    readonly withLines: boolean = false,
  ) {}

  get readers(): number {
    return this.#readers
  }

  set readers(count: number) {
    const isLess = count < this.#readers
    this.#readers = count
    if (count === 0) for (const resolve of this.#unread.splice(0)) resolve()
    if (isLess) this.onLeft?.()
  }

  /** Resolves when the last reader has left. */
  unread(): Promise<void> {
    return this.#readers === 0 ? Promise.resolve() : new Promise((resolve) => this.#unread.push(resolve))
  }

  /** Called after COMMIT only. */
  commit(page: Page): void {
    this.last = page.first + page.count - 1
    this.#tail.push(page)
    this.#tailBytes += sizeOf(page)
    while (this.#tailBytes > limits.tailBytes && this.#tail.length > 1)
      this.#tailBytes -= sizeOf(this.#tail.shift() as Page)
  }

  wake(): void {
    for (const resume of this.waiting) resume()
    this.waiting.clear()
  }

  /** No event will follow: readers end when they have read all. */
  close(): void {
    this.closed = true
    this.wake()
  }

  dropTail(): void {
    this.#tail = []
    this.#tailBytes = 0
  }

  /** The page that holds the event after `cursor`, if it is in memory. */
  fromTail(cursor: number): Page | undefined {
    const tail = this.#tail
    const oldest = tail[0]
    if (oldest === undefined || cursor + 1 < oldest.first) return undefined
    let low = 0
    let high = tail.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((tail[middle] as Page).first <= cursor + 1) low = middle
      else high = middle - 1
    }
    return tail[low]
  }
}

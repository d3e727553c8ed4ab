import type { Log } from "../../store/log.ts"
import type { Run } from "../../store/reader.ts"
import type { Release } from "../../store/shared-pages.ts"
import { pagesInProgress } from "./pages-in-progress.ts"
import type { StalledReaders } from "./stalled-readers.ts"

/** What a reader needs of a log: one log, or several merged into one order. */
export interface Followed {
  readonly first: number
  readonly closed: boolean
  readonly waiting: Pick<Set<() => void>, "add" | "delete">
  readers: number
}

export interface Source<L extends Followed = Log> {
  log: L
  reader: {
    next(log: L, cursor: number): Run | undefined
    /** Whether there may be something, without looking closely. */
    hasMore(log: L, cursor: number): boolean
    /** Where it gives the same bytes when it is asked again with the same cursor: has them at hand until then. */
    hold?(log: L, cursor: number, run: Run): Release | undefined
  }
  cursor: number
  request: Request
  /** The id of what the client has already: one that is cut off before its first event comes back with this. */
  after?: string
  /** Closes this stream when its client takes nothing. */
  stalled: StalledReaders
  transform?: Transform
}

/** What a reader gets of a run of stored frames. The same events give the same bytes, also when they are asked for again. */
export interface Transform {
  /** A name of what it makes, among all transforms. */
  name: string
  /** Of this run, or of its events up to `last`; `end` after its last frame. */
  of(run: Run): { bytes: Uint8Array | undefined; end: boolean; last: number }
}

const nothing = new Uint8Array(0)

/** The way of one reader through a log, slice by slice. Between two slices it holds a cursor, and bytes only if they are its own. */
export class Reading<L extends Followed> {
  #cursor: number
  /** What of the bytes after the cursor it has already, and what keeps them at hand. */
  #skip = 0
  #release: Release | undefined
  #slice: Uint8Array = nothing
  /** What was made for it alone and not given yet. */
  #rest: Uint8Array | undefined
  #isLast = false

  constructor(readonly source: Source<L>) {
    this.#cursor = source.cursor
  }

  get isOvertaken(): boolean {
    return this.#cursor < this.source.log.first - 1
  }

  get hasMore(): boolean {
    const { log, reader } = this.source
    return this.#rest !== undefined || reader.hasMore(log, this.#cursor)
  }

  /** It was given all there will ever be for it. */
  get ended(): boolean {
    return this.#isLast && this.#rest === undefined
  }

  /**
   * Reads the next bytes, at most so many, and says how many they are: 0 when what there was is not for this reader,
   * undefined when there is nothing yet.
   */
  read(most: number): number | undefined {
    const slice = this.#next(most)
    if (slice !== undefined) this.#slice = slice
    return slice?.length
  }

  /** What was read. It is not kept: a reader that waits for its client has no page in memory. */
  handOver(): Uint8Array {
    const slice = this.#slice
    this.#slice = nothing
    return slice
  }

  #next(most: number): Uint8Array | undefined {
    if (this.#rest !== undefined) return this.#cut(this.#rest, most)
    const { log, reader, transform } = this.source
    const run = reader.next(log, this.#cursor)
    if (run === undefined) return undefined
    if (transform !== undefined) return this.#transformed(transform, run, most)
    if (reader.hold !== undefined) return this.#repeated(run, most, () => reader.hold?.(log, this.#cursor, run))
    this.#cursor = run.last
    return this.#cut(run.bytes, most)
  }

  #transformed(transform: Transform, run: Run, most: number): Uint8Array {
    const name = `${transform.name} ${this.#cursor} ${run.last}`
    const sizeOf = ({ bytes }: { bytes?: Uint8Array }) => bytes?.length ?? 0
    const out = pagesInProgress.of(name, () => transform.of(run), sizeOf)
    const { bytes = nothing, last, end } = out ?? { last: run.last, end: false }
    const slice = this.#repeated({ bytes, last }, most, () => out && pagesInProgress.hold(name, out, bytes.length))
    this.#isLast = end && this.#skip === 0
    return slice
  }

  /** It reads no further. */
  close(): void {
    this.#release?.()
    this.#release = undefined
  }

  #cut(bytes: Uint8Array, most: number): Uint8Array {
    this.#rest = bytes.length > most ? bytes.subarray(most) : undefined
    return bytes.length > most ? bytes.subarray(0, most) : bytes
  }

  /** The bytes after the cursor are the same as before, though perhaps divided into other runs. */
  #repeated({ bytes, last }: Omit<Run, "first">, most: number, hold: () => Release | undefined): Uint8Array {
    const from = this.#skip
    const end = Math.min(bytes.length, from + most)
    if (end < bytes.length) {
      this.#skip = end
      // Again each time: others may have needed the room.
      const release = hold()
      this.close()
      this.#release = release
    } else {
      this.#skip = from - Math.min(from, end)
      this.#cursor = last
      this.close()
    }
    return from === 0 && end === bytes.length ? bytes : bytes.subarray(from, end)
  }
}

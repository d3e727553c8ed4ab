import { limits } from "@sandbox-agent/schema/limits"
import { damagedEvents, frameSum, isCorrupt, lineSum, offsetAfter } from "./damage.ts"
import { areFrames, frameOffset, jsonOf } from "./frames.ts"
import { LineRun } from "./line-run.ts"
import type { LiveDatabase, LiveStatement } from "./live-database.ts"
import { type Log, type Page, sizeOf } from "./log.ts"
import { type Release, SharedPages } from "./shared-pages.ts"

/** Pages looked at in one step: enough to fill `readerPageBytes` with single-event pages. */
const PAGES_PER_STEP = 512
/** Looked at before: of a log that was written in a flood two fill a step, and a look costs a read of the disk. */
const PAGES_AT_FIRST = 4

/** Events after a cursor: the bytes to send and the sequence of the last one in them. */
export interface Run {
  first: number
  last: number
  bytes: Uint8Array
}

/** One event as JSON, and the number of the native line it came from; 0 = none. */
export interface StoredText {
  sequence: number
  json: string
  raw: number
}

/** Reads committed events by cursor, in short statements: an open iterator would hold the WAL. */
export class LogReader {
  readonly #start: LiveStatement
  readonly #sizes: LiveStatement
  readonly #pages: LiveStatement
  readonly #pagesWithLines: LiveStatement
  readonly #raw: LiveStatement
  readonly #loose: LiveStatement
  readonly #before: LiveStatement
  readonly #places: LiveStatement
  /** Told once of each damage that is found. */
  onDamage: ((uid: number, detail: string) => void) | undefined
  /** Told the bytes of events and lines that were read. */
  onRead: ((bytes: number) => void) | undefined
  readonly #reportedDamage = new Set<string>()
  #lastRaw: { uid: number; run: LineRun } | undefined
  readonly #shared = new SharedPages()

  constructor(db: LiveDatabase) {
    this.#start = db.query("SELECT seq FROM log WHERE uid = ? AND seq <= ? ORDER BY seq DESC LIMIT 1")
    this.#sizes = db.query(
      "SELECT seq, size, raw_size AS lineSize FROM log WHERE uid = ? AND seq >= ? ORDER BY seq LIMIT ?",
    )
    const between = "FROM log WHERE uid = ? AND seq BETWEEN ? AND ? ORDER BY seq"
    this.#pages = db.query(`SELECT pos, seq, count, raws, frames, sum ${between}`)
    this.#pagesWithLines = db.query(
      `SELECT pos, seq, count, raws, frames, sum, raw_n AS n, raw_count AS lineCount, raw_lines AS lines,
       raw_sum AS lineSum ${between}`,
    )
    // The line of an event stands in its own row, or in one before when a commit fell between the two.
    this.#raw = db.query(
      `SELECT raw_n AS n, raw_count AS count, raw_lines AS lines, raw_sum AS sum FROM log
       WHERE uid = ? AND seq <= ? AND raw_count > 0 AND raw_n <= ? ORDER BY seq DESC LIMIT 1`,
    )
    // From the index alone: it stands when rows are damaged.
    this.#places = db.query(
      `SELECT seq FROM log INDEXED BY log_by_seq WHERE uid = ? AND seq >= ? ORDER BY seq LIMIT ${PAGES_PER_STEP}`,
    )
    this.#before = db.query("SELECT pos, seq, count FROM log WHERE uid = ? AND pos < ? ORDER BY seq DESC LIMIT 1")
    this.#loose = db.query("SELECT n, count, lines, sum FROM raw WHERE uid = ? AND n <= ? ORDER BY n DESC LIMIT 1")
  }

  /** The next committed events after `cursor`, at most about `readerPageBytes`; undefined at the end. */
  next(log: Log, cursor: number): Run | undefined {
    if (cursor >= log.last) return undefined
    const page = log.fromTail(cursor)
    if (page !== undefined) {
      const skip = cursor + 1 - page.first
      const bytes = skip === 0 ? page.bytes : page.bytes.subarray(frameOffset(page.bytes, skip))
      return { first: cursor + 1, last: page.first + page.count - 1, bytes }
    }
    if (cursor + 1 < log.first) return undefined
    return this.#shared.of(
      runKey(log, cursor),
      () => this.#run(log, cursor),
      ({ bytes }) => bytes.length,
    )
  }

  /** Whether anything follows. */
  hasMore(log: Log, cursor: number): boolean {
    return cursor < log.last
  }

  /** For who is in the middle of it: keeps the events after `cursor` at hand until it is released. */
  hold(log: Log, cursor: number, run: Run): Release | undefined {
    return this.#shared.hold(runKey(log, cursor), run, run.bytes.length)
  }

  /** What was read for others who may come by the same place can be read again. */
  forgetShared(): void {
    this.#shared.forget()
  }

  #run(log: Log, cursor: number): Run | undefined {
    const rows = this.#read(log, cursor)
    const last = rows.at(-1)
    if (last === undefined) return undefined
    const parts = rows.map((row) => row.frames)
    const first = rows[0] as PageRow
    if (first.seq <= cursor) parts[0] = first.frames.subarray(frameOffset(first.frames, cursor + 1 - first.seq))
    const bytes = parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts)
    return { first: cursor + 1, last: last.seq + last.count - 1, bytes }
  }

  /** The committed pages after `cursor`, whole: the first may begin before it. For readers of several logs at once. */
  pages(log: Log, cursor: number): Page[] {
    return this.#pagesAfter(log, cursor, log.withLines)
  }

  /** The same for who wants the events alone: lines may be a thousand times as long. */
  #frames(log: Log, cursor: number): Page[] {
    return this.#pagesAfter(log, cursor, false)
  }

  #pagesAfter(log: Log, cursor: number, withLines: boolean): Page[] {
    if (cursor >= log.last) return []
    const page = log.fromTail(cursor)
    if (page !== undefined) return [page]
    if (cursor + 1 < log.first) return []
    const shared = this.#shared.of(
      `${log.uid} ${cursor} pages${withLines ? " with lines" : ""}`,
      () => this.#read(log, cursor, withLines ? this.#pagesWithLines : this.#pages).map(pageOf),
      (pages) => pages.reduce((sum, each) => sum + sizeOf(each), 0),
    )
    return [...(shared ?? [])]
  }

  /** The last event of a log that stands before `pos` in the order of all logs; 0 = none. */
  sequenceBefore(log: Log, pos: number): number {
    const row = this.#before.get(log.uid, pos) as { pos: number; seq: number; count: number } | null
    return row === null ? 0 : row.seq + Math.min(row.count, pos - row.pos) - 1
  }

  /** Events after `cursor`: at most `limit`, and no more pages once `maxChars` are passed. */
  texts(log: Log, cursor: number, limit: number, maxChars: number = Number.POSITIVE_INFINITY): StoredText[] {
    const found: StoredText[] = []
    let at = cursor
    let size = 0
    while (found.length < limit && size < maxChars && at < log.last) {
      const pages = found.length === 0 ? this.#frames(log, at) : this.#framesOrNone(log, at)
      if (pages.length === 0) break
      for (const { first, bytes, raws } of pages) {
        const texts = jsonOf(bytes, first)
        for (let i = Math.max(0, at + 1 - first); i < texts.length && found.length < limit; i++) {
          at = first + i
          const json = texts[i] as string
          size += json.length
          found.push({ sequence: at, json, raw: raws?.[i] ?? 0 })
        }
        if (found.length >= limit || size >= maxChars) break
      }
    }
    return found
  }

  /** The same for whoever makes a state of what there is: damaged events are passed over. */
  readable(log: Log, cursor: number, limit: number): StoredText[] {
    for (let at = cursor; at < log.last; )
      try {
        return this.texts(log, at, limit)
      } catch (error) {
        const offset = offsetAfter(error)
        if (offset === undefined) throw error
        at = offset
      }
    return []
  }

  /** The native line number `n`, which the event at `sequence` came from; undefined when retention took it. */
  line(log: Log, n: number, sequence: number): string | undefined {
    const lines = log.fromTail(sequence - 1)?.lines
    return lines?.has(n) ? lines.text(n) : this.rawLine(log.uid, n, sequence)
  }

  /**
   * The same of a log that is not in memory, or of a line that no event came from. Lines that are damaged are told to
   * whoever runs the daemon; their events say the same and stand on their own.
   */
  rawLine(uid: number, n: number, sequence: number = Number.MAX_SAFE_INTEGER): string | undefined {
    const kept = this.#lastRaw
    if (kept !== undefined && kept.uid === uid && kept.run.has(n)) return kept.run.text(n)
    try {
      const rows = [this.#raw.get(uid, sequence, n), this.#loose.get(uid, n)] as (RawRow | null)[]
      const row = rows.find((one) => one !== null && n < one.n + one.count)
      if (!row?.lines) return undefined
      if (row.sum !== null && row.sum !== lineSum(row.n, row.lines)) return this.#damagedLine(uid, n)
      const run = new LineRun(row.n, row.count, row.lines)
      this.#lastRaw = { uid, run }
      return run.text(n)
    } catch (error) {
      if (!isCorrupt(error)) throw error
      return this.#damagedLine(uid, n)
    }
  }

  /** Raw is read for a run of events: the page of the last one mostly serves the next. */
  forgetRaw(): void {
    this.#lastRaw = undefined
  }

  #damagedLine(uid: number, n: number): undefined {
    this.#tell(uid, `the native line ${n} is damaged in the store`)
  }

  #tell(uid: number, detail: string): void {
    const key = `${uid} ${detail}`
    if (this.#reportedDamage.has(key)) return
    if (this.#reportedDamage.size >= REPORTED_DAMAGE) this.#reportedDamage.clear()
    this.#reportedDamage.add(key)
    this.onDamage?.(uid, detail)
  }

  /** For whoever has found something already: it gets that, and is told of damage when it comes for more. */
  #framesOrNone(log: Log, cursor: number): Page[] {
    try {
      return this.#frames(log, cursor)
    } catch (error) {
      if (offsetAfter(error) === undefined) throw error
      return []
    }
  }

  /** Sound rows without a gap, the first of which holds the event after `cursor`. */
  #read({ uid, first, last }: Log, cursor: number, statement: LiveStatement = this.#pages): PageRow[] {
    if (cursor + 1 < first) return []
    try {
      const rows = this.#rows(uid, cursor, statement)
      this.onRead?.(rows.reduce((sum, { frames, lines }) => sum + (frames?.length ?? 0) + (lines?.length ?? 0), 0))
      if (isWhole(rows, cursor)) return rows
    } catch (error) {
      if (!isCorrupt(error)) throw error
    }
    return this.#piecewise(uid, cursor, last, statement)
  }

  #rows(uid: number, cursor: number, statement: LiveStatement): PageRow[] {
    const start = (this.#start.get(uid, cursor + 1) as { seq: number } | null)?.seq
    if (start === undefined) return []
    const withLines = statement === this.#pagesWithLines
    const end =
      this.#stepEnd(uid, start, PAGES_AT_FIRST, withLines) ?? this.#stepEnd(uid, start, PAGES_PER_STEP, withLines)
    return statement.all(uid, start, end ?? start) as PageRow[]
  }

  /** The last page of a step; undefined when so many pages may not be all that it takes. */
  #stepEnd(uid: number, start: number, pages: number, withLines: boolean): number | undefined {
    const rows = this.#sizes.all(uid, start, pages) as { seq: number; size: number; lineSize: number }[]
    let size = 0
    let end = start
    for (const row of rows) {
      size += row.size + (withLines ? row.lineSize : 0)
      if (size > limits.readerPageBytes && row.seq !== start) return end
      end = row.seq
    }
    return rows.length < pages || pages === PAGES_PER_STEP ? end : undefined
  }

  /** Row by row, where something is damaged: what is sound up to there; if that is nothing, what is lost. */
  #piecewise(uid: number, cursor: number, last: number, statement: LiveStatement): PageRow[] {
    const sound: PageRow[] = []
    let next = cursor + 1
    let lost = last
    let size = 0
    for (const seq of this.#placesFrom(uid, cursor)) {
      const row = this.#row(uid, seq, statement)
      if (row === undefined || row.seq + row.count <= next) continue
      if (row.seq > next) lost = row.seq - 1
      if (row.seq > next || size > limits.readerPageBytes) break
      sound.push(row)
      size += row.frames.length + (row.lines?.length ?? 0)
      next = row.seq + row.count
    }
    if (sound.length > 0) return sound
    const damage = damagedEvents(next, lost)
    this.#tell(uid, damage.detail)
    throw damage
  }

  #row(uid: number, seq: number, statement: LiveStatement): PageRow | undefined {
    try {
      const row = statement.get(uid, seq, seq) as PageRow | null
      return row !== null && isSound(row) ? row : undefined
    } catch (error) {
      if (!isCorrupt(error)) throw error
      return undefined
    }
  }

  *#placesFrom(uid: number, cursor: number): Generator<number> {
    try {
      const start = this.#start.get(uid, cursor + 1) as { seq: number } | null
      for (let from = start?.seq ?? cursor + 1; ; ) {
        const places = this.#places.all(uid, from) as { seq: number }[]
        for (const { seq } of places) yield seq
        const last = places.at(-1)
        if (last === undefined) return
        from = last.seq + 1
      }
    } catch (error) {
      // The index itself: nothing more can be found.
      if (!isCorrupt(error)) throw error
    }
  }
}

const runKey = ({ uid }: Log, cursor: number): string => `${uid} ${cursor}`

/** Kinds of damage that are remembered as reported. */
const REPORTED_DAMAGE = 1_000

function isWhole(rows: readonly PageRow[], cursor: number): boolean {
  let next = rows[0]?.seq
  if (next === undefined || next > cursor + 1) return false
  for (const row of rows) {
    if (row.seq !== next || !isSound(row)) return false
    next = row.seq + row.count
  }
  return next > cursor + 1
}

/** As it was written. Rows of older versions have no checksum: they must at least be the frames they say they are. */
export function isSound({ seq, count, frames, raws, sum }: PageRow): boolean {
  if (!(frames instanceof Uint8Array) || (raws !== null && !(raws instanceof Uint8Array))) return false
  return sum === null ? areFrames(frames, seq, count) : sum === frameSum(seq, count, frames, raws)
}

interface RawRow {
  n: number
  count: number
  lines: Uint8Array | null
  sum: number | null
}

export interface PageRow {
  pos: number
  seq: number
  count: number
  raws: Uint8Array | null
  frames: Uint8Array
  sum: number | null
  n?: number
  lineCount?: number
  lines?: Uint8Array | null
  lineSum?: number | null
}

const pageOf = ({ seq, count, pos, frames, raws, n = 0, lineCount = 0, lines, lineSum: sum }: PageRow): Page => ({
  first: seq,
  count,
  pos,
  bytes: frames,
  // A copy: what the database gives need not begin where a number may.
  raws: raws ? new Uint32Array(new Uint8Array(raws).buffer) : undefined,
  // Damaged ones are asked for one by one, and told there.
  lines: lines && (sum === null || sum === lineSum(n, lines)) ? new LineRun(n, lineCount, lines) : undefined,
})

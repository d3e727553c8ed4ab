import type { Database, Statement } from "bun:sqlite"
import { limits } from "@sandbox-agent/schema/limits"
import { frameOffset, jsonOf } from "./frames.ts"
import { LineRun } from "./line-run.ts"
import type { Log, Page } from "./log.ts"

/** Pages looked at in one step: enough to fill `readerPageBytes` with single-event pages. */
const PAGES_PER_STEP = 512

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
  readonly #start: Statement
  readonly #sizes: Statement
  readonly #pages: Statement
  readonly #pagesWithLines: Statement
  readonly #raw: Statement
  readonly #loose: Statement
  readonly #before: Statement
  #lastRaw: { uid: number; run: LineRun } | undefined

  constructor(db: Database) {
    this.#start = db.prepare("SELECT seq FROM log WHERE uid = ? AND seq <= ? ORDER BY seq DESC LIMIT 1")
    this.#sizes = db.prepare(
      `SELECT seq, size FROM log WHERE uid = ? AND seq >= ? ORDER BY seq LIMIT ${PAGES_PER_STEP}`,
    )
    const between = "FROM log WHERE uid = ? AND seq BETWEEN ? AND ? ORDER BY seq"
    this.#pages = db.prepare(`SELECT pos, seq, count, raws, frames ${between}`)
    this.#pagesWithLines = db.prepare(
      `SELECT pos, seq, count, raws, frames, raw_n AS n, raw_count AS lineCount, raw_lines AS lines ${between}`,
    )
    // The line of an event stands in its own row, or in one before when a commit fell between the two.
    this.#raw = db.prepare(
      `SELECT raw_n AS n, raw_count AS count, raw_lines AS lines FROM log
       WHERE uid = ? AND seq <= ? AND raw_count > 0 AND raw_n <= ? ORDER BY seq DESC LIMIT 1`,
    )
    this.#before = db.prepare("SELECT pos, seq, count FROM log WHERE uid = ? AND pos < ? ORDER BY seq DESC LIMIT 1")
    this.#loose = db.prepare("SELECT n, count, lines FROM raw WHERE uid = ? AND n <= ? ORDER BY n DESC LIMIT 1")
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
    const rows = this.#read(log.uid, cursor)
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
    if (cursor >= log.last) return []
    const page = log.fromTail(cursor)
    if (page !== undefined) return [page]
    return this.#read(log.uid, cursor, log.withLines ? this.#pagesWithLines : this.#pages).map(pageOf)
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
      const pages = this.pages(log, at)
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

  /** The native line number `n`, which the event at `sequence` came from; undefined when retention took it. */
  line(log: Log, n: number, sequence: number): string | undefined {
    const lines = log.fromTail(sequence - 1)?.lines
    return lines?.has(n) ? lines.text(n) : this.rawLine(log.uid, n, sequence)
  }

  /** The same of a log that is not in memory, or of a line that no event came from. */
  rawLine(uid: number, n: number, sequence: number = Number.MAX_SAFE_INTEGER): string | undefined {
    const kept = this.#lastRaw
    if (kept !== undefined && kept.uid === uid && kept.run.has(n)) return kept.run.text(n)
    const rows = [this.#raw.get(uid, sequence, n), this.#loose.get(uid, n)] as (RawRow | null)[]
    const row = rows.find((one) => one !== null && n < one.n + one.count)
    if (!row?.lines) return undefined
    const run = new LineRun(row.n, row.count, row.lines)
    this.#lastRaw = { uid, run }
    return run.text(n)
  }

  /** Raw is read for a run of events: the page of the last one mostly serves the next. */
  forgetRaw(): void {
    this.#lastRaw = undefined
  }

  #read(uid: number, cursor: number, statement: Statement = this.#pages): PageRow[] {
    const start = (this.#start.get(uid, cursor + 1) as { seq: number } | null)?.seq
    if (start === undefined) return []
    let size = 0
    let end = start
    for (const row of this.#sizes.all(uid, start) as { seq: number; size: number }[]) {
      size += row.size
      if (size > limits.readerPageBytes && row.seq !== start) break
      end = row.seq
    }
    const rows = statement.all(uid, start, end) as PageRow[]
    const last = rows.at(-1)
    // Nothing beyond the cursor is nothing: whoever reads on and on must not be given the same page for ever.
    return last !== undefined && last.seq + last.count - 1 > cursor ? rows : []
  }
}

interface RawRow {
  n: number
  count: number
  lines: Uint8Array | null
}

interface PageRow {
  pos: number
  seq: number
  count: number
  raws: Uint8Array | null
  frames: Uint8Array
  n?: number
  lineCount?: number
  lines?: Uint8Array | null
}

const pageOf = ({ seq, count, pos, frames, raws, n = 0, lineCount = 0, lines }: PageRow): Page => ({
  first: seq,
  count,
  pos,
  bytes: frames,
  // A copy: what the database gives need not begin where a number may.
  raws: raws ? new Uint32Array(new Uint8Array(raws).buffer) : undefined,
  lines: lines ? new LineRun(n, lineCount, lines) : undefined,
})

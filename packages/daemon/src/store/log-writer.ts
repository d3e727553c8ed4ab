import { frameSum, lineSum } from "./damage.ts"
import { LineRun } from "./line-run.ts"
import type { LiveDatabase, LiveStatement } from "./live-database.ts"
import type { Log, Page } from "./log.ts"
import type { PendingLog, RawLines } from "./pending.ts"

/** Writes the events and native lines that wait, inside the transaction of the store. */
export class LogWriter {
  readonly #insertPage: LiveStatement
  readonly #insertRaw: LiveStatement
  /** Bytes of the commit under way. */
  written = 0

  constructor(db: LiveDatabase) {
    this.#insertPage = db.query(
      `INSERT INTO log (pos, uid, seq, count, size, raw_n, raw_count, raw_size, raws, raw_lines, frames, sum, raw_sum)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    this.#insertRaw = db.query("INSERT INTO raw (uid, n, count, size, lines, sum) VALUES (?, ?, ?, ?, ?, ?)")
  }

  /** Gives the place after the last event; the pages are to be shown once they are committed. */
  write(pending: PendingLog, start: number, pages: [Log, Page][]): number {
    const { log } = pending
    let pos = start
    for (const page of pending.pages) {
      const count = page.frames.length
      if (count === 0) {
        this.#loose(log, page.lines)
        continue
      }
      const bytes = Buffer.from(page.frames.join(""))
      const raws = page.raws.some((n) => n !== 0) ? Uint32Array.from(page.raws) : undefined
      const { first, lines } = page.lines
      // One row for both: at a thousand events a second the pages written per commit decide how often the disk stalls.
      const raw = lines.length > 0 ? Buffer.from(lines.join("\n")) : null
      const rawSize = raw?.length ?? 0
      const numbers = raws === undefined ? null : Buffer.from(raws.buffer)
      this.#insertPage.run(
        pos,
        log.uid,
        page.first,
        count,
        bytes.length,
        first,
        lines.length,
        rawSize,
        numbers,
        raw,
        bytes,
        frameSum(page.first, count, bytes, numbers),
        raw === null ? null : lineSum(first, raw),
      )
      const run = raw === null || !log.withLines ? undefined : new LineRun(first, lines.length, raw)
      pages.push([log, { first: page.first, count, pos, bytes, raws, lines: run }])
      this.written += bytes.length + rawSize
      pos += count
    }
    this.#loose(log, pending.loose)
    return pos
  }

  #loose(log: Log, { first, lines }: RawLines): void {
    if (lines.length === 0) return
    const bytes = Buffer.from(lines.join("\n"))
    this.#insertRaw.run(log.uid, first, lines.length, bytes.length, bytes, lineSum(first, bytes))
  }
}

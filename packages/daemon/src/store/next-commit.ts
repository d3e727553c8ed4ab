import { limits } from "@sandbox-agent/schema/limits"
import type { LiveDatabase } from "./live-database.ts"
import type { Log, Page } from "./log.ts"
import { LogWriter } from "./log-writer.ts"
import { PendingLog } from "./pending.ts"
import { PendingWrites } from "./pending-writes.ts"

/** All that the next commit writes: events and native lines, and rows. */
export class NextCommit {
  readonly writes = new PendingWrites()
  /** Rows that are written once, however often they changed. */
  readonly saves = new Set<{ save(): void }>()
  readonly #logs = new Map<number, PendingLog>()
  readonly #writer: LogWriter

  constructor(db: LiveDatabase) {
    this.#writer = new LogWriter(db)
  }

  get isEmpty(): boolean {
    return this.#logs.size === 0 && this.writes.size === 0 && this.saves.size === 0
  }

  /** Few rows that are written whole, and few events: it can be kept as the statements that it consists of. */
  get isSmall(): boolean {
    if (!this.writes.areRows || this.writes.size + this.saves.size > limits.redoCommitRows) return false
    let chars = 0
    for (const pending of this.#logs.values()) chars += pending.chars
    return chars <= limits.redoCommitChars
  }

  /** What a log adds to it. */
  of(log: Log): PendingLog {
    let pending = this.#logs.get(log.uid)
    if (pending === undefined) {
      pending = new PendingLog(log)
      this.#logs.set(log.uid, pending)
    }
    return pending
  }

  /** The same, if it adds anything. */
  known(uid: number): PendingLog | undefined {
    return this.#logs.get(uid)
  }

  drop(uid: number): void {
    this.#logs.delete(uid)
  }

  /** Gives the place after the last event; the pages are to be shown once they are on disk. */
  write(start: number, pages: [Log, Page][]): number {
    this.#writer.written = 0
    let pos = start
    for (const pending of this.#logs.values()) pos = this.#writer.write(pending, pos, pages)
    this.writes.run()
    for (const row of this.saves) row.save()
    return pos
  }

  /** Bytes of events and native lines that were written. */
  get written(): number {
    return this.#writer.written
  }

  clear(): void {
    this.#logs.clear()
    this.writes.clear()
    this.saves.clear()
  }
}

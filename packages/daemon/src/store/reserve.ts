import type { Database } from "bun:sqlite"
import { limits } from "@sandbox-agent/schema/limits"

/** Runs a change that makes room, with more pages than the store may have otherwise. */
export function inReserve(db: Database, change: () => void): void {
  const { max_page_count: most } = db.query("PRAGMA max_page_count").get() as { max_page_count: number }
  const run = db.transaction(change)
  db.run(`PRAGMA max_page_count = ${most + limits.storeReservePages}`)
  try {
    run.immediate()
  } catch (error) {
    if (!isFull(error)) throw error
    // The disk itself is full: overwriting would need as much room as the session has.
    db.run("PRAGMA secure_delete = OFF")
    try {
      run.immediate()
    } finally {
      db.run("PRAGMA secure_delete = ON")
    }
  } finally {
    db.run(`PRAGMA max_page_count = ${most}`)
  }
}

const isFull = (error: unknown): boolean =>
  error instanceof Error && "code" in error && /^SQLITE_(FULL|IOERR)/.test(String(error.code))

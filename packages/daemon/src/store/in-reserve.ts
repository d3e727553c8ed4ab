import type { Database } from "bun:sqlite"
import { limits } from "@sandbox-agent/schema/limits"
import { isFull, type Reserve } from "./reserve.ts"

/**
 * Runs a change that makes room. Where there is none for it, the room kept for this is used: the file on the disk, and
 * pages beyond the cap. False when what it deleted could not be overwritten.
 */
export function inReserve(db: Database, reserve: Reserve | undefined, change: () => void): boolean {
  const run = db.transaction(change)
  try {
    run.immediate()
    return true
  } catch (error) {
    if (!isFull(error)) throw error
  }
  reserve?.giveBack()
  emptyWal(db)
  const { max_page_count: most } = db.query("PRAGMA max_page_count").get() as { max_page_count: number }
  db.run(`PRAGMA max_page_count = ${most + limits.storeReservePages}`)
  try {
    return tightly(db, run.immediate)
  } finally {
    db.run(`PRAGMA max_page_count = ${most}`)
  }
}

function tightly(db: Database, run: () => void): boolean {
  try {
    run()
    return true
  } catch (error) {
    if (!isFull(error)) throw error
  }
  // One row is larger than the reserve: overwriting it would need as much room as it has.
  db.run("PRAGMA secure_delete = OFF")
  try {
    run()
    return false
  } finally {
    db.run("PRAGMA secure_delete = ON")
  }
}

/** What the WAL has goes into the file, so that the next change begins it anew. */
export function emptyWal(db: Database): void {
  try {
    db.run("PRAGMA wal_checkpoint(TRUNCATE)")
  } catch (error) {
    if (!isFull(error)) throw error
  }
}

import { limits } from "@sandbox-agent/schema/limits"
import type { LiveDatabase } from "./live-database.ts"
import { isFull, type Reserve } from "./reserve.ts"

/**
 * Runs a change that deletes. If the disk or the database is full, it uses the room reserved for this: the reserve file,
 * and pages beyond the cap. False when what it deleted could not be overwritten.
 */
export function changeWhenFull(db: LiveDatabase, reserve: Reserve | undefined, change: () => void): boolean {
  try {
    db.change(change)
    return true
  } catch (error) {
    if (!isFull(error)) throw error
  }
  reserve?.release()
  emptyWal(db)
  const { max_page_count: most } = db.query("PRAGMA max_page_count").get() as { max_page_count: number }
  db.run(`PRAGMA max_page_count = ${most + limits.storeReservePages}`)
  try {
    return tightly(db, change)
  } finally {
    db.run(`PRAGMA max_page_count = ${most}`)
  }
}

function tightly(db: LiveDatabase, change: () => void): boolean {
  try {
    db.change(change)
    return true
  } catch (error) {
    if (!isFull(error)) throw error
  }
  // One row is larger than the reserve: overwriting it would need as much room as it has.
  db.run("PRAGMA secure_delete = OFF")
  try {
    db.change(change)
    return false
  } finally {
    db.run("PRAGMA secure_delete = ON")
  }
}

/** What the WAL has goes into the file, so that the next change begins it anew. */
export function emptyWal(db: LiveDatabase): void {
  try {
    db.run("PRAGMA wal_checkpoint(TRUNCATE)")
  } catch (error) {
    if (!isFull(error)) throw error
  }
}

import type { Database } from "bun:sqlite"
import { closeSync, lstatSync, openSync, readSync, renameSync } from "node:fs"
import { limits } from "@sandbox-agent/schema/limits"
import { migrations } from "./migrations.ts"
import { redoPath, refusedPath } from "./redo.ts"
import { decodeRecords, type RedoRecord } from "./redo-record.ts"
import { isFull, type Reserve } from "./reserve.ts"

export const SAVE_REDO_NUMBER = "INSERT OR REPLACE INTO meta (key, value) VALUES ('redo', ?)"

/**
 * Brings in what a daemon that was killed had only in its redo file; the number of the last record that the database has
 * is given back. Before any migration: the statements are those of the version that wrote them.
 */
export function replay(db: Database, directory: string, reserve: Reserve, warnings: string[]): number {
  const path = redoPath(directory)
  const { user_version: version } = db.query("PRAGMA user_version").get() as { user_version: number }
  // What is beside a new database belongs to one that is gone; a newer version is refused later, and nothing of it is touched.
  if (version === 0 || version > migrations.length) return 0
  const last = lastNumber(db)
  const missing = missingFrom(db, directory)
  const number = missing.at(-1)?.number ?? last
  const bringIn = db.transaction(() => {
    // After a power loss, or a repair that could not save the number, the database may lack more than the file has.
    if (missing[0]?.number !== last + 1) throw new Gap("what came before them is lost")
    for (const { statements } of missing) for (const [sql, values] of statements) db.query(sql).run(...values)
    db.query(SAVE_REDO_NUMBER).run(String(number))
  })
  try {
    if (missing.length > 0) withReserve(db, reserve, () => bringIn.immediate())
    return number
  } catch (error) {
    if (!isHopeless(error)) throw error
    const kept = refusedPath(directory, new Date())
    renameSync(path, kept)
    warnings.push(`the last changes before the daemon ended are left out (${error.message}); they are kept as ${kept}`)
    return last
  }
}

/** The commits that the redo file has and the database has not. */
export function missingFrom(db: Database, directory: string): RedoRecord[] {
  const last = lastNumber(db)
  return [...decodeRecords(bytesOf(redoPath(directory)))].filter(({ number }) => number > last)
}

class Gap extends Error {}

/** No later start would do better: what else goes wrong may pass. */
function isHopeless(error: unknown): error is Error {
  if (error instanceof Gap) return true
  const code = error instanceof Error && "code" in error ? String(error.code) : ""
  return /^SQLITE_(ERROR|CONSTRAINT|MISMATCH)/.test(code)
}

/** If need be in the room that is kept for deleting, and with pages beyond the cap. */
function withReserve(db: Database, reserve: Reserve, change: () => void): void {
  try {
    return change()
  } catch (error) {
    if (!isFull(error)) throw error
  }
  reserve.release()
  const { max_page_count: most } = db.query("PRAGMA max_page_count").get() as { max_page_count: number }
  db.run(`PRAGMA max_page_count = ${most + limits.storeReservePages}`)
  try {
    change()
  } finally {
    db.run(`PRAGMA max_page_count = ${most}`)
  }
}

function lastNumber(db: Database): number {
  const row = db.query("SELECT value FROM meta WHERE key = 'redo'").get() as { value: string } | null
  return Number(row?.value) || 0
}

/** Of a file that we may have written: reading a pipe or a device would never end. */
function bytesOf(path: string): Buffer {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found?.isFile() !== true) return Buffer.alloc(0)
  const bytes = Buffer.alloc(Math.min(found.size, limits.redoReadBytes))
  const fd = openSync(path, "r")
  try {
    let read = 0
    for (let part = -1; part !== 0 && read < bytes.length; read += part)
      part = readSync(fd, bytes, read, bytes.length - read, read)
    return bytes.subarray(0, read)
  } finally {
    closeSync(fd)
  }
}

import { limits } from "@sandbox-agent/schema/limits"
import type { LiveDatabase } from "./live-database.ts"

/** What a session has, the row that names it last: until then the next start goes on. `size` reads no text. */
const tables = [
  { name: "log", key: "seq", size: "size + raw_size" },
  { name: "raw", key: "n", size: "size" },
  { name: "messages", key: "id", size: "octet_length(doc) + coalesce(octet_length(body), 0)" },
  { name: "turns", key: "id", size: "octet_length(doc)" },
  { name: "items", key: "started_seq", size: "octet_length(doc)" },
  { name: "requests", key: "id", size: "octet_length(doc)" },
  { name: "rules", key: "key", size: "octet_length(key)" },
  { name: "blob_refs", key: "hash", size: "octet_length(hash)" },
] as const

/** The id is free at once; the log stays until its readers have drained. */
export const MARK_DELETED = "UPDATE sessions SET deleted = 1, id = NULL, alias = NULL, secrets = NULL WHERE uid = ?"

/** Rows that are looked at for one step. */
const ROWS = 512

/**
 * Removes some of what a session has, so much that a transaction stays small: what is deleted is overwritten, and all of
 * that goes through the WAL. True when nothing is left.
 */
export function purgeStep(db: LiveDatabase, uid: number): boolean {
  for (const { name, key, size } of tables) {
    const sql = `SELECT ${key} AS key, ${size} AS size FROM ${name} WHERE uid = ? ORDER BY ${key} LIMIT ${ROWS}`
    const rows = db.query(sql).all(uid) as { key: string | number; size: number }[]
    let last = rows[0]?.key
    if (last === undefined) continue
    let bytes = 0
    for (const row of rows) {
      bytes += row.size
      if (bytes > limits.purgeBytes && row !== rows[0]) break
      last = row.key
    }
    db.query(`DELETE FROM ${name} WHERE uid = ? AND ${key} <= ?`).run(uid, last)
    return false
  }
  const stray = "SELECT hash FROM blobs WHERE hash NOT IN (SELECT hash FROM blob_refs) LIMIT 1"
  if (db.query(`DELETE FROM blobs WHERE hash = (${stray})`).run().changes > 0) return false
  // Its uid is not given out again: it stands in event ids, and in what ACP clients are attached to.
  const given = `INSERT INTO meta (key, value) VALUES ('uid', ?)
    ON CONFLICT (key) DO UPDATE SET value = max(CAST(value AS INTEGER), CAST(excluded.value AS INTEGER))`
  db.query(given).run(String(uid))
  db.query("DELETE FROM sessions WHERE uid = ?").run(uid)
  return true
}

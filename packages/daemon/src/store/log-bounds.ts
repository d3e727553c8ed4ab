import type { LiveDatabase } from "./live-database.ts"

/** First kept and last sequence of a log. */
export function logBounds(db: LiveDatabase, uid: number): { first: number; last: number } {
  const sql = `SELECT coalesce((SELECT seq FROM log WHERE uid = ?1 ORDER BY seq LIMIT 1), 1) AS first,
    coalesce((SELECT seq + count - 1 FROM log WHERE uid = ?1 ORDER BY seq DESC LIMIT 1), 0) AS last`
  return db.query(sql).get(uid) as { first: number; last: number }
}

/** Drops whole pages below a sequence; gives the first one that is left. */
export function cutLog(db: LiveDatabase, uid: number, below: number): number {
  db.query("DELETE FROM log WHERE uid = ? AND seq + count <= ?").run(uid, below)
  return logBounds(db, uid).first
}

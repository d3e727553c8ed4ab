import type { LiveDatabase } from "./live-database.ts"

export interface RetentionOptions {
  days?: number
  /** Of all logs together. */
  bytes?: number
}

/** A turn end up to which a session's log may be cut. */
interface Cut {
  uid: number
  ended_seq: number
  raw_last: number
}

export interface CutSession {
  uid: number
  firstSeq: number
}

/** Turn ends looked at in one step, so that a step stays short. */
const STEP = 64

/**
 * Cuts prefixes of logs, always at a turn end: raw first, then events. Folded items stay. Returns the sessions whose
 * first sequence moved. Runs inside the store's transaction.
 */
export function cutOldEvents(db: LiveDatabase, options: RetentionOptions, now: number): CutSession[] {
  const moved = new Map<number, number>()
  const cut = (end: Cut) => {
    const { uid, ended_seq } = end
    dropLoose(db, end)
    db.run("DELETE FROM log WHERE uid = ? AND seq <= ?", [uid, ended_seq])
    db.run("UPDATE sessions SET first_seq = ? WHERE uid = ?", [ended_seq + 1, uid])
    moved.set(uid, ended_seq + 1)
  }
  if (options.days !== undefined) for (const end of oldest(db, now - options.days * 86_400_000)) cut(end)
  if (options.bytes !== undefined) {
    for (const end of oldest(db, now)) {
      if (totalBytes(db) <= options.bytes) break
      dropLoose(db, end)
      db.run("UPDATE log SET raw_lines = NULL, raw_size = 0 WHERE uid = ? AND seq <= ? AND raw_lines IS NOT NULL", [
        end.uid,
        end.ended_seq,
      ])
      if (totalBytes(db) > options.bytes) cut(end)
    }
  }
  if (moved.size > 0) db.run("PRAGMA incremental_vacuum(1000)")
  return [...moved].map(([uid, firstSeq]) => ({ uid, firstSeq }))
}

function dropLoose(db: LiveDatabase, { uid, raw_last }: Cut): void {
  db.run("DELETE FROM raw WHERE uid = ? AND n + count - 1 <= ?", [uid, raw_last])
}

const totalBytes = (db: LiveDatabase): number =>
  (
    db
      .query(
        "SELECT (SELECT coalesce(sum(size + raw_size), 0) FROM log) + (SELECT coalesce(sum(size), 0) FROM raw) AS bytes",
      )
      .get() as {
      bytes: number
    }
  ).bytes

/** Turn ends before a time that still have events, the oldest first. */
function oldest(db: LiveDatabase, before: number): Cut[] {
  return db
    .query(
      `SELECT t.uid, t.ended_seq, coalesce(t.raw_last, 0) AS raw_last FROM turns t JOIN sessions s USING (uid)
       WHERE t.ended_at IS NOT NULL AND t.ended_at < ? AND t.ended_seq >= s.first_seq ORDER BY t.ended_at, t.ended_seq LIMIT ${STEP}`,
    )
    .all(before) as Cut[]
}

import type { Database } from "bun:sqlite"

/** A session whose log has holes: how many of its events are in none of the rows that are left. */
export interface LostEvents {
  uid: number
  session: string
  lost: number
}

/** What rows of sessions say of their logs, against the logs. What came after the last event that a row knows of cannot be told. */
export function lostEvents(db: Database): LostEvents[] {
  const sql = `SELECT uid, id AS session, last_seq - first_seq + 1 - (
      SELECT coalesce(sum(count), 0) FROM log
      WHERE log.uid = sessions.uid AND seq >= first_seq AND seq <= last_seq
    ) AS lost FROM sessions WHERE deleted = 0 AND lost > 0 ORDER BY uid`
  return db.query(sql).all() as LostEvents[]
}

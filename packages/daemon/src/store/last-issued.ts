import type { LiveDatabase } from "./live-database.ts"

/** Rows at the end of a table among which the highest id is. */
const LATE_ROWS = 1_000

/** The latest time and ids given out: clock and generator of the next run start above them. */
export function lastIssued(db: LiveDatabase): { time?: string; ids: string[] } {
  const { time } = db
    .query(
      "SELECT max(CASE WHEN json_valid(record) THEN json_extract(record, '$.updatedAt') END) AS time FROM sessions",
    )
    .get() as {
    time: string | null
  }
  // Deltas do not touch the session's row: the last page of any log may be later. The plus keeps SQLite from sorting
  // all pages by an index on the uid.
  const last = db.query("SELECT frames FROM log WHERE +uid >= 0 ORDER BY pos DESC LIMIT 1").get() as {
    frames: Uint8Array
  } | null
  const times =
    last === null
      ? []
      : Buffer.from(last.frames)
          .toString()
          .match(/"time":"[^"]+"/g)
  const logged = times?.at(-1)?.slice(8, -1) ?? ""
  // Ids grow, and rows are made in the order of their ids but for those of one commit.
  const ids = ["items", "turns", "messages", "requests"].map((table) => {
    const sql = `SELECT max(id) AS id FROM (SELECT id FROM ${table} ORDER BY rowid DESC LIMIT ${LATE_ROWS})`
    return (db.query(sql).get() as { id: string | null }).id ?? ""
  })
  return { time: ((time ?? "") > logged ? time : logged) || undefined, ids }
}

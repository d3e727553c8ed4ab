import type { LiveDatabase } from "./live-database.ts"

/** Rows that are a copy of what the log says. */
const copies = ["items", "turns", "requests"] as const

/** Ids of the rows of a session whose text is what was written. */
export function readableIds(db: LiveDatabase, uid: number): Record<(typeof copies)[number], Set<string>> {
  const [items, turns, requests] = copies.map((table) => {
    const rows = db.query(`SELECT id FROM ${table} WHERE uid = ? AND json_valid(doc)`).all(uid) as { id: string }[]
    return new Set(rows.map(({ id }) => id))
  }) as [Set<string>, Set<string>, Set<string>]
  return { items, turns, requests }
}

export function deleteUnreadableRows(db: LiveDatabase, uid: number): void {
  for (const table of copies) db.query(`DELETE FROM ${table} WHERE uid = ? AND NOT json_valid(doc)`).run(uid)
}

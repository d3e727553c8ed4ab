import type { LiveDatabase } from "./live-database.ts"

/**
 * Looks where damage would hurt every session: at the first page of each table, and at the index that sessions are found
 * by. Throws what SQLite says of it.
 */
export function startupCheck(db: LiveDatabase): void {
  const tables = db.query("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'").all()
  for (const { name } of tables as { name: string }[]) db.run(`SELECT 1 FROM ${name} NOT INDEXED LIMIT 1`)
  db.run("SELECT count(*) FROM sessions INDEXED BY sqlite_autoindex_sessions_1 WHERE id >= ''")
}

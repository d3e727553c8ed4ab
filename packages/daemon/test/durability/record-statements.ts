import { Database } from "bun:sqlite"
import { appendFileSync } from "node:fs"

/** Loaded before a daemon: what it prepares stands in TEST_STATEMENTS, a JSON string on each line. */
const file = process.env.TEST_STATEMENTS
const prepare = Database.prototype.prepare
const query = Database.prototype.query
const note = (sql: string): void => {
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(sql)}\n`)
}
Database.prototype.prepare = function (this: Database, sql: string, ...rest: never[]) {
  note(sql)
  return prepare.call(this, sql, ...rest)
} as typeof prepare
Database.prototype.query = function (this: Database, sql: string) {
  note(sql)
  return query.call(this, sql)
} as typeof query

import { StoreError } from "../errors.ts"
import { migrations } from "./sqlite-schema.ts"

type Value = string | number | null | Uint8Array

interface Statement {
  run(...values: Value[]): unknown
  get(...values: Value[]): unknown
  all(...values: Value[]): unknown[]
}

/** What is used of a database: that of `bun:sqlite`, `node:sqlite` or `better-sqlite3`. */
export interface SqliteDatabase {
  exec(sql: string): unknown
  prepare(sql: string): Statement
  close(): unknown
}

/** Statements that are made once, and transactions. */
export class Sqlite {
  readonly #statements = new Map<string, Statement>()

  constructor(private readonly database: SqliteDatabase) {
    // Not every commit waits for the disk: what a loss of power takes of the end is read from its daemon again.
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
    database.exec("PRAGMA busy_timeout = 10000; PRAGMA foreign_keys = ON")
    this.transaction(() => this.#migrate())
  }

  run(sql: string, ...values: Value[]): void {
    this.#statement(sql).run(...values)
  }
  /** Undefined without a row. */
  get<Row>(sql: string, ...values: Value[]): Row | undefined {
    return (this.#statement(sql).get(...values) ?? undefined) as Row | undefined
  }
  all<Row>(sql: string, ...values: Value[]): Row[] {
    return this.#statement(sql).all(...values) as Row[]
  }

  /** Begins with the right to write: other programs wait. */
  transaction<T>(work: () => T): T {
    this.database.exec("BEGIN IMMEDIATE")
    try {
      const result = work()
      this.database.exec("COMMIT")
      return result
    } catch (error) {
      this.database.exec("ROLLBACK")
      throw error
    }
  }

  close(): void {
    this.#statements.clear()
    this.database.close()
  }

  #statement(sql: string): Statement {
    const found = this.#statements.get(sql)
    if (found !== undefined) return found
    const made = this.database.prepare(sql)
    this.#statements.set(sql, made)
    return made
  }

  #migrate(): void {
    const { version } = this.database.prepare("SELECT user_version AS version FROM pragma_user_version").get() as {
      version: number
    }
    if (version > migrations.length)
      throw new StoreError("version", `The database is of version ${version}; this package knows ${migrations.length}`)
    for (const sql of migrations.slice(version)) this.database.exec(sql)
    if (version < migrations.length) this.database.exec(`PRAGMA user_version = ${migrations.length}`)
  }
}

import type { Database, SQLQueryBindings, Statement } from "bun:sqlite"

type Values = SQLQueryBindings[]

/** A statement that is prepared when it is first used, and again when the file behind it was replaced. */
export class LiveStatement {
  #statement: Statement | undefined

  constructor(private readonly prepare: () => Statement) {}

  get(...values: Values): unknown {
    return this.#ready.get(...values)
  }

  all(...values: Values): unknown[] {
    return this.#ready.all(...values)
  }

  run(...values: Values): { changes: number; lastInsertRowid: number | bigint } {
    return this.#ready.run(...values)
  }

  get columnNames(): string[] {
    return this.#ready.columnNames
  }

  /** Holds on to nothing of the database any more. */
  release(): void {
    this.#statement?.finalize()
    this.#statement = undefined
  }

  get #ready(): Statement {
    this.#statement ??= this.prepare()
    return this.#statement
  }
}

/**
 * The open database. The file behind it can be replaced by a repaired one while everybody keeps what they have of it:
 * a connection that lived on would remove the files of its successor when it ends.
 */
export class LiveDatabase {
  #db: Database
  readonly #statements = new Map<string, LiveStatement>()

  constructor(db: Database) {
    this.#db = db
  }

  /** One for each text, kept. */
  query(sql: string): LiveStatement {
    let known = this.#statements.get(sql)
    if (known === undefined) {
      known = new LiveStatement(() => this.#db.prepare(sql))
      this.#statements.set(sql, known)
    }
    return known
  }

  run(sql: string, values: Values = []): void {
    this.#db.run(sql, values)
  }

  /** Runs a change in a transaction of its own. */
  change(change: () => void): void {
    this.#db.transaction(change).immediate()
  }

  get inTransaction(): boolean {
    return this.#db.inTransaction
  }

  close(): void {
    this.#release()
    this.#db.close(true)
  }

  /** Closes the present one, lets `replace` put another in its place, and goes on with what it opens. */
  replace(replace: () => Database): void {
    this.close()
    this.#db = replace()
  }

  #release(): void {
    for (const statement of this.#statements.values()) statement.release()
  }
}

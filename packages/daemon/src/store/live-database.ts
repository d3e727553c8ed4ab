import type { Database, SQLQueryBindings, Statement } from "bun:sqlite"

export type Values = SQLQueryBindings[]

/** One statement that writes, with its values. */
export interface Change {
  readonly statement: LiveStatement
  readonly values: Values
}

/** A statement that is prepared when it is first used, and again when the file behind it was replaced. */
export class LiveStatement {
  #statement: Statement | undefined

  constructor(
    readonly sql: string,
    private readonly db: LiveDatabase,
    private readonly prepare: () => Statement,
  ) {}

  get(...values: Values): unknown {
    this.db.beforeUse?.()
    return this.#ready.get(...values)
  }

  all(...values: Values): unknown[] {
    this.db.beforeUse?.()
    return this.#ready.all(...values)
  }

  /** Inside `collect` it is only noted, and has changed nothing yet. */
  run(...values: Values): { changes: number } {
    if (this.db.note(this, values)) return { changes: 0 }
    this.db.beforeUse?.()
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
  #noted: Change[] | undefined
  /** Called before anything is read or written: brings in what was put off. */
  beforeUse: (() => void) | undefined

  constructor(db: Database) {
    this.#db = db
  }

  /** One for each text, kept. */
  query(sql: string): LiveStatement {
    let known = this.#statements.get(sql)
    if (known === undefined) {
      known = new LiveStatement(sql, this, () => this.#db.prepare(sql))
      this.#statements.set(sql, known)
    }
    return known
  }

  /** What is written inside is not run: it is given back, to be run later. Nothing can be read there. */
  collect(change: () => void): Change[] {
    const noted: Change[] = []
    this.#noted = noted
    try {
      change()
    } finally {
      this.#noted = undefined
    }
    return noted
  }

  /** False: it is to be run. */
  note(statement: LiveStatement, values: Values): boolean {
    return this.#noted !== undefined && this.#noted.push({ statement, values }) > 0
  }

  run(sql: string, values: Values = []): void {
    this.beforeUse?.()
    this.#db.run(sql, values)
  }

  /** Runs a change in a transaction of its own. */
  change(change: () => void): void {
    this.beforeUse?.()
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

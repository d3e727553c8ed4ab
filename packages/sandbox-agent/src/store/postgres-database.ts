import { SandboxAgentError, StoreError } from "../errors.ts"
import { migrations } from "./postgres-schema.ts"

export interface PostgresResult {
  rows: unknown[]
}

export interface PostgresClient {
  query(text: string, values?: unknown[]): Promise<PostgresResult>
  release(destroy?: boolean): void
  on(event: "notification", listener: (message: { payload?: string | undefined }) => void): unknown
  on(event: "error", listener: (error: Error) => void): unknown
}

/** What is used of a database: the `Pool` of `pg`. */
export interface PostgresPool {
  query(text: string, values?: unknown[]): Promise<PostgresResult>
  connect(): Promise<PostgresClient>
  on(event: "error", listener: (error: Error) => void): unknown
  end(): Promise<void>
}

/** Tables with a part of their own for each month. */
export const monthly = ["events", "texts", "blobs", "blob_refs", "native_states"] as const

/** Any number that nobody else is likely to have. */
const migrationLock = 7_264_910_513

/** Statements in one schema, with `$schema` for its name, and transactions. */
export class Postgres {
  readonly pool: PostgresPool
  readonly #schema: string

  constructor(pool: PostgresPool, schema: string) {
    if (!/^[a-z_][a-z0-9_]{0,40}$/.test(schema))
      throw new SandboxAgentError("argument", `schema: ${JSON.stringify(schema)} is no name of a schema`)
    this.pool = pool
    this.#schema = schema
    // A connection at rest that breaks is told here, and otherwise ends the program; whoever needs one is told by its query.
    pool.on("error", () => undefined)
  }

  get channel(): string {
    return this.#schema
  }

  named(sql: string): string {
    return sql.replaceAll("$schema", this.#schema)
  }

  async rows<Row>(sql: string, values: unknown[] = [], client?: PostgresClient): Promise<Row[]> {
    return (await (client ?? this.pool).query(this.named(sql), values)).rows as Row[]
  }

  async transaction<T>(work: (client: PostgresClient) => Promise<T>): Promise<T> {
    const client = await this.pool.connect()
    let isBroken = false
    try {
      await client.query("BEGIN")
      try {
        const result = await work(client)
        await client.query("COMMIT")
        return result
      } catch (error) {
        await client.query("ROLLBACK").catch(() => {
          isBroken = true
        })
        throw error
      }
    } finally {
      client.release(isBroken)
    }
  }

  /** One program at a time; those that come later find it done. */
  async migrate(): Promise<void> {
    await this.transaction(async (client) => {
      await client.query("SELECT pg_advisory_xact_lock($1)", [migrationLock])
      await client.query(this.named("CREATE SCHEMA IF NOT EXISTS $schema"))
      await client.query(this.named("CREATE TABLE IF NOT EXISTS $schema.version (version int NOT NULL)"))
      const [row] = await this.rows<{ version: number }>("SELECT version FROM $schema.version", [], client)
      const version = row?.version ?? 0
      if (version > migrations.length)
        throw new StoreError("version", `The schema is of version ${version}; this package knows ${migrations.length}`)
      for (const sql of migrations.slice(version)) await client.query(this.named(sql))
      await client.query(this.named("DELETE FROM $schema.version"))
      await client.query(this.named("INSERT INTO $schema.version VALUES ($1)"), [migrations.length])
    })
  }

  /** Sessions of a month, with their events, are a table each of its own, which is dropped as one. */
  async makeMonth(month: string): Promise<void> {
    await this.transaction(async (client) => {
      await client.query("SELECT pg_advisory_xact_lock($1)", [migrationLock])
      for (const table of monthly)
        await client.query(
          this.named(
            `CREATE TABLE IF NOT EXISTS $schema.${partition(table, month)} PARTITION OF $schema.${table} FOR VALUES IN ('${month}')`,
          ),
        )
    })
  }

  async dropMonth(month: string, client: PostgresClient): Promise<void> {
    for (const table of monthly)
      await client.query(this.named(`DROP TABLE IF EXISTS $schema.${partition(table, month)}`))
  }
}

/** Checked: it becomes part of a statement. */
export function monthOf(createdAt: string): string {
  const month = createdAt.slice(0, 7)
  if (!/^\d{4}-\d{2}$/.test(month)) throw new SandboxAgentError("protocol", `${createdAt} is no time`)
  return month
}

const partition = (table: string, month: string): string => `${table}_${month.replace("-", "_")}`

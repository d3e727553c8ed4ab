import { SandboxAgentError, StoreError } from "../errors.ts"
import type { Event, SessionInfo } from "../types.ts"
import { cursorOf, parseCursor } from "./cursor.ts"
import { freshEvents, leaseLost } from "./fresh-events.ts"
import { pageOf } from "./limits.ts"
import { Listeners } from "./listeners.ts"
import { dropBlobs, findBlob, saveBlob } from "./postgres-blobs.ts"
import { monthOf, Postgres, type PostgresClient, type PostgresPool } from "./postgres-database.ts"
import { findNativeState, saveNativeState } from "./postgres-native-states.ts"
import { findEvents, textsAt } from "./postgres-search.ts"
import { queryWords, searchedText, wordsOf } from "./searched.ts"
import type {
  Lease,
  ListQuery,
  LostEvents,
  OpenedSession,
  SearchHit,
  SessionBatch,
  SessionRef,
  SessionStore,
  StoredBlob,
  StoredNativeState,
  StoredPage,
  StoredSession,
} from "./session-store.ts"

export type { PostgresClient, PostgresPool, PostgresResult } from "./postgres-database.ts"

interface Row {
  uid: string
  sandbox: string
  id: string
  created_at: string
  month: string
  info: string
  last_sequence: string
  lost: string
  deleted_at: string | null
}

/** Sessions in Postgres, for any number of programs that write and read. */
export class PostgresStore implements SessionStore {
  readonly #db: Postgres
  readonly #listeners = new Listeners()
  readonly #months = new Set<string>()
  #hearing: Promise<PostgresClient | undefined> | undefined
  #isClosed = false

  private constructor(db: Postgres) {
    this.#db = db
  }

  /** The pool is this store's own from here on, and is ended with it. Tables are made, and brought up to date, in a schema of their own. */
  static async open(
    pool: PostgresPool,
    { schema = "sandbox_agent" }: { schema?: string } = {},
  ): Promise<PostgresStore> {
    const db = new Postgres(pool, schema)
    await db.migrate()
    return new PostgresStore(db)
  }

  async lease(sandbox: string, holder: string, forMs: number): Promise<Lease | undefined> {
    const [row] = await this.#db.rows<{ epoch: string }>(
      `INSERT INTO $schema.leases AS held VALUES ($1, $2, 1, clock_timestamp() + $3 * interval '1 millisecond')
       ON CONFLICT (sandbox) DO UPDATE SET holder = excluded.holder, until = excluded.until,
         epoch = held.epoch + CASE WHEN held.holder = excluded.holder THEN 0 ELSE 1 END
       WHERE held.holder = excluded.holder OR held.until < clock_timestamp() RETURNING epoch`,
      [sandbox, holder, forMs],
    )
    return row && { sandbox, holder, epoch: Number(row.epoch) }
  }

  async release({ sandbox, holder, epoch }: Lease): Promise<void> {
    await this.#db.rows(
      "UPDATE $schema.leases SET until = '-infinity', holder = '' WHERE sandbox = $1 AND holder = $2 AND epoch = $3",
      [sandbox, holder, epoch],
    )
  }

  async open(lease: Lease, sessions: readonly SessionInfo[]): Promise<OpenedSession[]> {
    const named = new Map(sessions.map((info) => [keyOf(info.id, info.createdAt), info]))
    const infos = [...named.values()]
    for (const { createdAt } of infos) await this.#makeMonth(monthOf(createdAt))
    const rows = await this.#write(lease, (client) =>
      this.#db.rows<Row>(
        `INSERT INTO $schema.sessions (sandbox, id, created_at, month, agent, info)
         SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
         ON CONFLICT (sandbox, id, created_at) DO UPDATE SET agent = excluded.agent, info = excluded.info, deleted_at = NULL
         RETURNING uid, id, created_at, last_sequence`,
        [
          lease.sandbox,
          infos.map(({ id }) => id),
          infos.map(({ createdAt }) => createdAt),
          infos.map(({ createdAt }) => monthOf(createdAt)),
          infos.map(({ agent }) => agent),
          infos.map((info) => JSON.stringify(info)),
        ],
        client,
      ),
    )
    const found = new Map(rows.map((row) => [keyOf(row.id, row.created_at), row]))
    return sessions.map(({ id, createdAt }) => {
      const row = found.get(keyOf(id, createdAt))
      if (row === undefined) throw new StoreError("session_not_found", `No session ${id} of ${lease.sandbox} is stored`)
      return { uid: row.uid, lastSequence: Number(row.last_sequence) }
    })
  }

  async append(lease: Lease, batches: readonly SessionBatch[]): Promise<void> {
    try {
      await this.#write(lease, (client) => this.#append(client, batches))
    } catch (error) {
      // A month may have been dropped by another program.
      this.#months.clear()
      throw error
    }
  }

  async saveBlob(lease: Lease, uid: string, blob: StoredBlob): Promise<void> {
    await this.#save(lease, uid, (client) => saveBlob(this.#db, client, uid, blob))
  }

  async saveNativeState(lease: Lease, uid: string, state: StoredNativeState): Promise<void> {
    await this.#save(lease, uid, (client) => saveNativeState(this.#db, client, uid, state))
  }

  async markDeleted(lease: Lease, ids: readonly string[]): Promise<void> {
    await this.#write(lease, async (client) => {
      const sql = `UPDATE $schema.sessions SET deleted_at = $1
                   WHERE sandbox = $2 AND id = ANY($3) AND deleted_at IS NULL RETURNING sandbox, id`
      const rows = await this.#db.rows<Row>(sql, [new Date().toISOString(), lease.sandbox, ids], client)
      await this.#tell(client, rows)
    })
  }

  async list({ sandbox, agent, deleted = true, limit, cursor }: ListQuery = {}) {
    const size = pageOf(limit)
    const position = cursor === undefined ? undefined : parseCursor(cursor)
    const rows = await this.#db.rows<Row>(
      `SELECT * FROM $schema.sessions WHERE ($1::text IS NULL OR sandbox = $1) AND ($2::text IS NULL OR agent = $2)
       AND ($3 OR deleted_at IS NULL) AND ($4::text IS NULL OR (created_at, uid) < ($4::text, $5::bigint))
       ORDER BY created_at DESC, uid DESC LIMIT $6`,
      [sandbox ?? null, agent ?? null, deleted, position?.createdAt ?? null, position?.uid ?? null, size + 1],
    )
    const page = rows.slice(0, size)
    const last = page.at(-1)
    return {
      sessions: page.map(sessionOf),
      ...(rows.length > size && last && { nextCursor: cursorOf({ createdAt: last.created_at, uid: last.uid }) }),
    }
  }

  async get(ref: SessionRef): Promise<StoredSession | undefined> {
    const row = await this.#find(ref)
    return row && sessionOf(row)
  }

  async events(ref: SessionRef, { offset = 0, limit }: { offset?: number; limit?: number } = {}): Promise<StoredPage> {
    const found = await this.#find(ref)
    if (found === undefined)
      throw new StoreError("session_not_found", `No session ${ref.id} of ${ref.sandbox} is stored`)
    const size = pageOf(limit)
    const rows = await this.#db.rows<{ event: string }>(
      "SELECT event FROM $schema.events WHERE month = $1 AND uid = $2 AND sequence > $3 ORDER BY sequence LIMIT $4",
      [found.month, found.uid, offset, size + 1],
    )
    return {
      events: rows.slice(0, size).map(({ event }) => JSON.parse(event) as Event),
      hasMore: rows.length > size,
    }
  }

  async blob(ref: SessionRef, hash: string): Promise<StoredBlob | undefined> {
    const found = await this.#find(ref)
    return found && findBlob(this.#db, found, hash)
  }

  async nativeState(ref: SessionRef): Promise<StoredNativeState | undefined> {
    const found = await this.#find(ref)
    return found && findNativeState(this.#db, found)
  }

  async search(text: string, { sandbox, limit }: { sandbox?: string; limit?: number } = {}): Promise<SearchHit[]> {
    const words = queryWords(text)
    if (words.length === 0) return []
    const query = words.map((word) => `'${word}':*`).join(" & ")
    const keys = await findEvents(this.#db, { query, sandbox, size: pageOf(limit) })
    const rows = await textsAt<Row>(this.#db, keys)
    return rows.map((row) => ({ session: sessionOf(row), sequence: Number(row.sequence), text: row.text }))
  }

  /** Whole months are dropped as tables; of the month that `before` is in, row by row. */
  async drop(before: Date): Promise<number> {
    const limit = before.toISOString()
    this.#months.clear()
    return this.#db.transaction(async (client) => {
      const whole = `${limit.slice(0, 7)}-01`
      const months = await this.#db.rows<{ month: string; count: string }>(
        `WITH gone AS (DELETE FROM $schema.sessions WHERE created_at < $1 RETURNING month)
         SELECT month, count(*) FROM gone GROUP BY month`,
        [whole],
        client,
      )
      for (const { month } of months) await this.#db.dropMonth(month, client)
      const rest = await this.#db.rows<{ uid: string }>(
        "DELETE FROM $schema.sessions WHERE created_at < $1 RETURNING uid",
        [limit],
        client,
      )
      const month = limit.slice(0, 7)
      const uids = rest.map(({ uid }) => uid)
      for (const table of ["events", "texts", "native_states"])
        await this.#db.rows(`DELETE FROM $schema.${table} WHERE month = $1 AND uid = ANY($2)`, [month, uids], client)
      await dropBlobs(this.#db, client, month, uids)
      return months.reduce((sum, { count }) => sum + Number(count), rest.length)
    })
  }

  onStored(listener: (session: { sandbox: string; id: string }) => void): () => void {
    this.#hearing ??= this.#hear()
    return this.#listeners.add(listener)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    ;(await this.#hearing)?.release(true)
    await this.#db.pool.end()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #find({ sandbox, id, createdAt }: SessionRef): Promise<Row | undefined> {
    const [row] = await this.#db.rows<Row>(
      `SELECT * FROM $schema.sessions WHERE sandbox = $1 AND id = $2 AND ($3::text IS NULL OR created_at = $3)
       ORDER BY created_at DESC LIMIT 1`,
      [sandbox, id, createdAt ?? null],
    )
    return row
  }

  /** The row of the lease is held to the end of it: nobody takes it over in between. */
  #write<T>(lease: Lease, work: (client: PostgresClient) => Promise<T>): Promise<T> {
    return this.#db.transaction(async (client) => {
      const sql = "SELECT 1 FROM $schema.leases WHERE sandbox = $1 AND holder = $2 AND epoch = $3 FOR SHARE"
      const held = await this.#db.rows(sql, [lease.sandbox, lease.holder, lease.epoch], client)
      if (held.length === 0) throw leaseLost(lease.sandbox)
      return work(client)
    })
  }

  /** False: there is no such session. */
  async #save(lease: Lease, uid: string, work: (client: PostgresClient) => Promise<boolean>): Promise<void> {
    try {
      if (await this.#write(lease, work)) return
    } catch (error) {
      this.#months.clear()
      throw error
    }
    throw new StoreError("session_not_found", `Nothing is stored as ${uid}`)
  }

  async #append(client: PostgresClient, batches: readonly SessionBatch[]): Promise<void> {
    const rows = await this.#db.rows<Row>(
      "SELECT * FROM $schema.sessions WHERE uid = ANY($1) ORDER BY uid FOR UPDATE",
      [batches.map(({ uid }) => uid)],
      client,
    )
    const byUid = new Map(rows.map((row) => [row.uid, row]))
    const events: { row: Row; event: Event }[] = []
    for (const batch of batches) {
      const row = byUid.get(batch.uid)
      if (row === undefined) throw new StoreError("session_not_found", `Nothing is stored as ${batch.uid}`)
      const fresh = freshEvents(batch, Number(row.last_sequence))
      if (batch.lost !== undefined && batch.lost.to > Number(row.last_sequence))
        row.lost = JSON.stringify([...(JSON.parse(row.lost) as LostEvents[]), batch.lost])
      row.last_sequence = String(fresh.last)
      for (const event of fresh.events) events.push({ row, event })
    }
    await this.#insert(client, events)
    await this.#db.rows(
      `UPDATE $schema.sessions AS s SET last_sequence = v.last, lost = v.lost
       FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS v (uid, last, lost) WHERE s.uid = v.uid`,
      [rows.map(({ uid }) => uid), rows.map((row) => row.last_sequence), rows.map(({ lost }) => lost)],
      client,
    )
    await this.#tell(client, rows)
  }

  /** All rows of a table in one statement. */
  async #insert(client: PostgresClient, all: readonly { row: Row; event: Event }[]): Promise<void> {
    await this.#db.rows(
      "INSERT INTO $schema.events SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[])",
      [...placesOf(all), all.map(({ event }) => JSON.stringify(event))],
      client,
    )
    const said = all.flatMap(({ row, event }) => {
      const text = searchedText(event)
      return text === undefined ? [] : [{ row, event, text }]
    })
    if (said.length === 0) return
    await this.#db.rows(
      `INSERT INTO $schema.texts (month, uid, sequence, text, words, sandbox, created_at)
       SELECT month, uid, sequence, text, array_to_tsvector(string_to_array(words, ' ')), sandbox, created_at
       FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[])
         AS v (month, uid, sequence, text, words, sandbox, created_at)`,
      [
        ...placesOf(said),
        said.map(({ text }) => text),
        said.map(({ text }) => lexemes(text)),
        said.map(({ row }) => row.sandbox),
        said.map(({ row }) => row.created_at),
      ],
      client,
    )
  }

  async #makeMonth(month: string): Promise<void> {
    if (this.#months.has(month)) return
    await this.#db.makeMonth(month)
    this.#months.add(month)
  }

  async #tell(client: PostgresClient, rows: readonly Pick<Row, "sandbox" | "id">[]): Promise<void> {
    const payloads = rows.map(({ sandbox, id }) => JSON.stringify([sandbox, id]))
    await client.query("SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload", [this.#db.channel, payloads])
  }

  /** One connection that hears what all programs store. Without it whoever follows looks from time to time. */
  async #hear(): Promise<PostgresClient | undefined> {
    try {
      const client = await this.#db.pool.connect()
      if (this.#isClosed) {
        client.release(true)
        return undefined
      }
      client.on("notification", ({ payload = "[]" }) => {
        const [sandbox, id] = JSON.parse(payload) as [string?, string?]
        if (sandbox !== undefined && id !== undefined) this.#listeners.tell({ sandbox, id })
      })
      client.on("error", () => {
        this.#hearing = undefined
        client.release(true)
      })
      await client.query(`LISTEN ${this.#db.channel}`)
      return client
    } catch (error) {
      this.#hearing = undefined
      console.error(
        "sandbox-agent: a store cannot hear of others:",
        new SandboxAgentError("store", String(error), error),
      )
      return undefined
    }
  }
}

const keyOf = (id: string, createdAt: string): string => `${id} ${createdAt}`

const placesOf = (all: readonly { row: Row; event: Event }[]): unknown[] => [
  all.map(({ row }) => row.month),
  all.map(({ row }) => row.uid),
  all.map(({ event }) => event.sequence),
]

/** As we read words: its own reader takes `example.com` for one. It takes none of more than two kilobytes. */
const lexemes = (text: string): string => [...new Set(wordsOf(text).map((word) => word.slice(0, 200)))].join(" ")

const sessionOf = (row: Row): StoredSession => ({
  sandbox: row.sandbox,
  id: row.id,
  createdAt: row.created_at,
  info: JSON.parse(row.info) as SessionInfo,
  lastSequence: Number(row.last_sequence),
  lost: JSON.parse(row.lost) as LostEvents[],
  ...(row.deleted_at !== null && { deletedAt: row.deleted_at }),
})

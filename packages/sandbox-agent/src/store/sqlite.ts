import { StoreError } from "../errors.ts"
import type { Event, SessionInfo } from "../types.ts"
import { cursorOf, parseCursor } from "./cursor.ts"
import { freshEvents, leaseLost } from "./fresh-events.ts"
import { pageOf } from "./limits.ts"
import { Listeners } from "./listeners.ts"
import { queryWords, searchedText } from "./searched.ts"
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
import { Sqlite, type SqliteDatabase } from "./sqlite-database.ts"

export type { SqliteDatabase } from "./sqlite-database.ts"

interface Row {
  uid: number
  sandbox: string
  id: string
  created_at: string
  info: string
  last_sequence: number
  lost: string
  deleted_at: string | null
}

/** Sessions in a file of SQLite. Several programs of one machine may use it; they are told of each other's events when they ask. */
export class SqliteStore implements SessionStore {
  readonly #db: Sqlite
  readonly #listeners = new Listeners()

  /** The database is this store's own from here on, and is closed with it. */
  constructor(database: SqliteDatabase) {
    this.#db = new Sqlite(database)
  }

  async lease(sandbox: string, holder: string, forMs: number): Promise<Lease | undefined> {
    return this.#db.transaction(() => {
      const now = Date.now()
      const found = this.#db.get<{ holder: string; epoch: number; until_ms: number }>(
        "SELECT holder, epoch, until_ms FROM leases WHERE sandbox = ?",
        sandbox,
      )
      const isOwn = found?.holder === holder && found.until_ms > 0
      if (!isOwn && found !== undefined && found.until_ms > now) return undefined
      const epoch = isOwn ? found.epoch : (found?.epoch ?? 0) + 1
      this.#db.run(
        "INSERT INTO leases VALUES (?, ?, ?, ?) ON CONFLICT (sandbox) DO UPDATE SET holder = excluded.holder, epoch = excluded.epoch, until_ms = excluded.until_ms",
        sandbox,
        holder,
        epoch,
        now + forMs,
      )
      return { sandbox, holder, epoch }
    })
  }

  async release({ sandbox, holder, epoch }: Lease): Promise<void> {
    this.#db.run(
      "UPDATE leases SET until_ms = 0 WHERE sandbox = ? AND holder = ? AND epoch = ?",
      sandbox,
      holder,
      epoch,
    )
  }

  async open(lease: Lease, sessions: readonly SessionInfo[]): Promise<OpenedSession[]> {
    return this.#write(lease, () =>
      sessions.map((info) => {
        const { id, createdAt, agent } = info
        this.#db.run(
          "INSERT INTO sessions (sandbox, id, created_at, agent, info) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET agent = excluded.agent, info = excluded.info, deleted_at = NULL",
          lease.sandbox,
          id,
          createdAt,
          agent,
          JSON.stringify(info),
        )
        const row = this.#row({ sandbox: lease.sandbox, id, createdAt })
        return { uid: String(row.uid), lastSequence: row.last_sequence }
      }),
    )
  }

  async append(lease: Lease, batches: readonly SessionBatch[]): Promise<void> {
    const told = this.#write(lease, () => batches.map((batch) => this.#appendOne(batch)))
    for (const row of told) this.#listeners.tell({ sandbox: row.sandbox, id: row.id })
  }

  async saveBlob(lease: Lease, uid: string, { hash, mime, bytes }: StoredBlob): Promise<void> {
    this.#write(lease, () => {
      this.#assertStored(uid)
      this.#db.run("INSERT OR IGNORE INTO blobs VALUES (?, ?, ?)", hash, mime, bytes)
      this.#db.run("INSERT OR IGNORE INTO blob_refs VALUES (?, ?)", Number(uid), hash)
    })
  }

  async saveNativeState(lease: Lease, uid: string, state: StoredNativeState): Promise<void> {
    const { nativeSessionId, sequence, data } = state
    this.#write(lease, () => {
      this.#assertStored(uid)
      const sql = "INSERT OR REPLACE INTO native_states VALUES (?, ?, ?, ?)"
      this.#db.run(sql, Number(uid), nativeSessionId, sequence, data)
    })
  }

  async markDeleted(lease: Lease, ids: readonly string[]): Promise<void> {
    const { sandbox } = lease
    this.#write(lease, () => {
      const sql = "UPDATE sessions SET deleted_at = ? WHERE sandbox = ? AND id = ? AND deleted_at IS NULL"
      for (const id of ids) this.#db.run(sql, new Date().toISOString(), sandbox, id)
    })
    for (const id of ids) this.#listeners.tell({ sandbox, id })
  }

  async list({ sandbox, agent, deleted = true, limit, cursor }: ListQuery = {}) {
    const size = pageOf(limit)
    const position = cursor === undefined ? undefined : parseCursor(cursor)
    const conditions: [string, ...(string | number)[]][] = []
    if (sandbox !== undefined) conditions.push(["sandbox = ?", sandbox])
    if (agent !== undefined) conditions.push(["agent = ?", agent])
    if (!deleted) conditions.push(["deleted_at IS NULL"])
    if (position !== undefined)
      conditions.push(["(created_at, uid) < (?, ?)", position.createdAt, Number(position.uid)])
    const where = conditions.length === 0 ? "" : `WHERE ${conditions.map(([sql]) => sql).join(" AND ")}`
    const rows = this.#db.all<Row>(
      `SELECT * FROM sessions ${where} ORDER BY created_at DESC, uid DESC LIMIT ?`,
      ...conditions.flatMap(([, ...values]) => values),
      size + 1,
    )
    const page = rows.slice(0, size)
    const last = page.at(-1)
    return {
      sessions: page.map(sessionOf),
      ...(rows.length > size &&
        last && { nextCursor: cursorOf({ createdAt: last.created_at, uid: String(last.uid) }) }),
    }
  }

  async get(ref: SessionRef): Promise<StoredSession | undefined> {
    const row = this.#find(ref)
    return row && sessionOf(row)
  }

  async events(ref: SessionRef, { offset = 0, limit }: { offset?: number; limit?: number } = {}): Promise<StoredPage> {
    const size = pageOf(limit)
    const rows = this.#db.all<{ event: string }>(
      "SELECT event FROM events WHERE uid = ? AND sequence > ? ORDER BY sequence LIMIT ?",
      this.#row(ref).uid,
      offset,
      size + 1,
    )
    return {
      events: rows.slice(0, size).map(({ event }) => JSON.parse(event) as Event),
      hasMore: rows.length > size,
    }
  }

  async blob(ref: SessionRef, hash: string): Promise<StoredBlob | undefined> {
    const uid = this.#find(ref)?.uid
    if (uid === undefined) return undefined
    const found = this.#db.get<{ mime: string; bytes: Uint8Array }>(
      "SELECT mime, bytes FROM blobs JOIN blob_refs USING (hash) WHERE uid = ? AND hash = ?",
      uid,
      hash,
    )
    return found && { hash, mime: found.mime, bytes: new Uint8Array(found.bytes) }
  }

  async nativeState(ref: SessionRef): Promise<StoredNativeState | undefined> {
    const uid = this.#find(ref)?.uid
    if (uid === undefined) return undefined
    const sql = "SELECT native_session_id AS nativeSessionId, sequence, data FROM native_states WHERE uid = ?"
    const found = this.#db.get<StoredNativeState>(sql, uid)
    return found && { ...found, data: new Uint8Array(found.data) }
  }

  async search(text: string, { sandbox, limit }: { sandbox?: string; limit?: number } = {}): Promise<SearchHit[]> {
    const words = queryWords(text)
    if (words.length === 0) return []
    const rows = this.#db.all<Row & { sequence: number; text: string }>(
      `SELECT sessions.*, texts.sequence, texts.text FROM texts JOIN sessions ON sessions.uid = texts.uid
       WHERE texts MATCH ? ${sandbox === undefined ? "" : "AND sandbox = ?"}
       ORDER BY sessions.created_at DESC, sessions.uid DESC, texts.sequence DESC LIMIT ?`,
      words.map((word) => `"${word}"*`).join(" "),
      ...(sandbox === undefined ? [] : [sandbox]),
      pageOf(limit),
    )
    return rows.map((row) => ({ session: sessionOf(row), sequence: row.sequence, text: row.text }))
  }

  async drop(before: Date): Promise<number> {
    return this.#db.transaction(() => {
      const limit = before.toISOString()
      const old = this.#db.all<{ uid: number }>("SELECT uid FROM sessions WHERE created_at < ?", limit)
      this.#db.run("DELETE FROM texts WHERE uid IN (SELECT uid FROM sessions WHERE created_at < ?)", limit)
      const named = this.#db.all<{ hash: string }>(
        "SELECT DISTINCT hash FROM blob_refs JOIN sessions USING (uid) WHERE created_at < ?",
        limit,
      )
      this.#db.run("DELETE FROM sessions WHERE created_at < ?", limit)
      const unused = "DELETE FROM blobs WHERE hash = ? AND NOT EXISTS (SELECT 1 FROM blob_refs WHERE hash = blobs.hash)"
      for (const { hash } of named) this.#db.run(unused, hash)
      return old.length
    })
  }

  onStored(listener: (session: { sandbox: string; id: string }) => void): () => void {
    return this.#listeners.add(listener)
  }

  async close(): Promise<void> {
    this.#db.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #write<T>(lease: Lease, work: () => T): T {
    return this.#db.transaction(() => {
      const { sandbox, holder, epoch } = lease
      const sql = "SELECT 1 AS one FROM leases WHERE sandbox = ? AND holder = ? AND epoch = ?"
      if (this.#db.get(sql, sandbox, holder, epoch) === undefined) throw leaseLost(sandbox)
      return work()
    })
  }

  #assertStored(uid: string): void {
    if (this.#db.get("SELECT 1 AS one FROM sessions WHERE uid = ?", Number(uid)) === undefined)
      throw new StoreError("session_not_found", `Nothing is stored as ${uid}`)
  }

  #appendOne(batch: SessionBatch): Row {
    const row = this.#db.get<Row>("SELECT * FROM sessions WHERE uid = ?", Number(batch.uid))
    if (row === undefined) throw new StoreError("session_not_found", `Nothing is stored as ${batch.uid}`)
    const { events, last } = freshEvents(batch, row.last_sequence)
    for (const event of events) {
      this.#db.run("INSERT INTO events VALUES (?, ?, ?)", row.uid, event.sequence, JSON.stringify(event))
      const text = searchedText(event)
      if (text !== undefined) this.#db.run("INSERT INTO texts VALUES (?, ?, ?)", text, row.uid, event.sequence)
    }
    const lost = JSON.parse(row.lost) as LostEvents[]
    if (batch.lost !== undefined && batch.lost.to > row.last_sequence) lost.push(batch.lost)
    this.#db.run("UPDATE sessions SET last_sequence = ?, lost = ? WHERE uid = ?", last, JSON.stringify(lost), row.uid)
    return row
  }

  #find({ sandbox, id, createdAt }: SessionRef): Row | undefined {
    const exact = createdAt === undefined ? [] : [createdAt]
    return this.#db.get<Row>(
      `SELECT * FROM sessions WHERE sandbox = ? AND id = ? ${exact.length === 0 ? "" : "AND created_at = ?"}
       ORDER BY created_at DESC LIMIT 1`,
      sandbox,
      id,
      ...exact,
    )
  }

  #row(ref: SessionRef): Row {
    const row = this.#find(ref)
    if (row !== undefined) return row
    throw new StoreError("session_not_found", `No session ${ref.id} of ${ref.sandbox} is stored`)
  }
}

const sessionOf = (row: Row): StoredSession => ({
  sandbox: row.sandbox,
  id: row.id,
  createdAt: row.created_at,
  info: JSON.parse(row.info) as SessionInfo,
  lastSequence: row.last_sequence,
  lost: JSON.parse(row.lost) as LostEvents[],
  ...(row.deleted_at !== null && { deletedAt: row.deleted_at }),
})

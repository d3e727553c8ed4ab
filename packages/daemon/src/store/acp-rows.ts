import { acpLimits } from "@sandbox-agent/schema/acp-limits"
import type { Item } from "@sandbox-agent/schema/item"
import type { LiveDatabase, LiveStatement } from "./live-database.ts"
import { cutLog, logBounds } from "./log-bounds.ts"
import { Recent } from "./recent.ts"

/** What is known of an ACP connection apart from its log. Its log has the negative of its uid. */
export interface ConnRow {
  uid: number
  id: string
  /** Milliseconds since 1970: when its client was last heard of. */
  seen: number
  doc: string
}

/** A session's events after `fromSeq`, up to `toSeq` once it was detached, belong to a connection's streams. */
export interface AttachRow {
  uid: number
  session: string
  fromSeq: number
  toSeq: number | null
}

/** A request that has to be answered. A prompt stays: its answer is the end of the turn that took its message. */
export interface CallRow {
  n: number
  /** The JSON-RPC id as JSON text. */
  id: string
  method: string
  session: string | null
  uid: number | null
  message: string | null
}

/** Every statement on the tables of the ACP face. */
export class AcpRows {
  /** By message: the answer to a prompt that was sent just now needs no look into the database. */
  readonly #prompts = new Recent<CallRow & { conn: number }>(acpLimits.recentPrompts)

  constructor(
    readonly db: LiveDatabase,
    /** Commits what waits. */
    private readonly flush: () => void,
  ) {}

  #sql(text: string): LiveStatement {
    return this.db.query(text)
  }

  /** With all that was written up to now, also what is not committed yet. */
  get upToDate(): this {
    this.flush()
    return this
  }

  saveConn({ uid, id, seen, doc }: ConnRow): void {
    this.#sql("INSERT OR REPLACE INTO acp_conn (uid, id, seen, doc) VALUES (?, ?, ?, ?)").run(uid, id, seen, doc)
  }

  conn(id: string): ConnRow | undefined {
    return (this.#sql("SELECT * FROM acp_conn WHERE id = ?").get(id) as ConnRow | null) ?? undefined
  }

  /** Least lately seen first. */
  conns(): ConnRow[] {
    return this.#sql("SELECT * FROM acp_conn ORDER BY seen").all() as ConnRow[]
  }

  /**
   * Those owed nothing first, then those least lately seen. `owed`: 2 = a call of it has no answer yet, 1 = a turn that
   * it asked for has ended since it was last heard of.
   */
  connsByDebt(): (ConnRow & { owed: number })[] {
    const sql = `SELECT a.*, coalesce((
        SELECT max(CASE WHEN c.message IS NULL OR m.state IN ('queued', 'sending') THEN 2
          WHEN t.id IS NOT NULL AND t.ended_seq IS NULL THEN 2 WHEN t.ended_at >= a.seen THEN 1 ELSE 0 END)
        FROM acp_call c LEFT JOIN messages m ON m.uid = c.uid AND m.id = c.message
        LEFT JOIN turns t ON t.uid = c.uid AND t.id = json_extract(m.doc, '$.turnId') WHERE c.conn = a.uid
      ), 0) AS owed FROM acp_conn a ORDER BY owed, seen`
    return this.#sql(sql).all() as (ConnRow & { owed: number })[]
  }

  connCount(): number {
    return (this.#sql("SELECT count(*) AS count FROM acp_conn").get() as { count: number }).count
  }

  maxConn(): number {
    // The log of a connection that is being removed may still be there.
    const sql = `SELECT max(coalesce((SELECT max(uid) FROM acp_conn), 0), coalesce((SELECT -min(uid) FROM log), 0),
      coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'conn'), 0)) AS uid`
    return (this.#sql(sql).get() as { uid: number }).uid
  }

  seen(uid: number, seen: number): void {
    this.#sql("UPDATE acp_conn SET seen = ? WHERE uid = ?").run(seen, uid)
  }

  /** Neither its uid nor its place in the order of all logs is given out again. */
  removeConn(uid: number): void {
    this.#prompts.drop(({ conn }) => conn === uid)
    this.#sql(
      `INSERT INTO meta (key, value) VALUES ('conn', ?)
       ON CONFLICT (key) DO UPDATE SET value = max(CAST(value AS INTEGER), CAST(excluded.value AS INTEGER))`,
    ).run(String(uid))
    this.#sql(
      `INSERT INTO meta (key, value) SELECT 'pos', pos + count FROM log WHERE true ORDER BY pos DESC LIMIT 1
       ON CONFLICT (key) DO UPDATE SET value = max(CAST(value AS INTEGER), CAST(excluded.value AS INTEGER))`,
    ).run()
    for (const table of ["acp_attach", "acp_call", "acp_answer"])
      this.#sql(`DELETE FROM ${table} WHERE conn = ?`).run(uid)
    this.#sql("DELETE FROM acp_conn WHERE uid = ?").run(uid)
    this.#sql("DELETE FROM log WHERE uid = ?").run(-uid)
  }

  attach(conn: number, a: AttachRow): void {
    this.#sql("INSERT OR REPLACE INTO acp_attach (conn, uid, session, from_seq, to_seq) VALUES (?, ?, ?, ?, ?)").run(
      conn,
      a.uid,
      a.session,
      a.fromSeq,
      a.toSeq,
    )
  }

  attachments(conn: number): AttachRow[] {
    const sql = `SELECT uid, session, from_seq AS fromSeq, to_seq AS toSeq FROM acp_attach
      WHERE conn = ? ORDER BY uid, from_seq`
    return this.#sql(sql).all(conn) as AttachRow[]
  }

  logBounds(conn: number): { first: number; last: number } {
    return logBounds(this.db, -conn)
  }

  cutLog(conn: number, below: number): number {
    return cutLog(this.db, -conn, below)
  }

  /** Whether any connection gets the events of a session. */
  isAttached(uid: number): boolean {
    return this.#sql("SELECT 1 FROM acp_attach WHERE uid = ? AND to_seq IS NULL LIMIT 1").get(uid) !== null
  }

  dropAttachment(conn: number, uid: number): void {
    this.#sql("DELETE FROM acp_attach WHERE conn = ? AND uid = ?").run(conn, uid)
  }

  dropSpan(conn: number, uid: number, fromSeq: number): void {
    this.#sql("DELETE FROM acp_attach WHERE conn = ? AND uid = ? AND from_seq = ?").run(conn, uid, fromSeq)
  }

  saveCall(conn: number, c: CallRow): void {
    if (c.message !== null) this.#prompts.set(c.message, { ...c, conn })
    this.#sql(
      "INSERT OR REPLACE INTO acp_call (conn, n, id, method, session, uid, message) VALUES (?, ?, ?, ?, ?, ?, ?)",
    ).run(conn, c.n, c.id, c.method, c.session, c.uid, c.message)
  }

  removeCall(conn: number, n: number): void {
    this.#prompts.drop((prompt) => prompt.conn === conn && prompt.n === n)
    this.#sql("DELETE FROM acp_call WHERE conn = ? AND n = ?").run(conn, n)
  }

  /** The call that sent this message over this connection. */
  callOf(conn: number, message: string): CallRow | undefined {
    const recent = this.#prompts.get(message)
    if (recent !== undefined) return recent.conn === conn ? recent : undefined
    // Named, because SQLite would rather go through all calls of the connection.
    const sql = "SELECT * FROM acp_call INDEXED BY acp_call_by_message WHERE conn = ? AND message = ?"
    return (this.#sql(sql).get(conn, message) as CallRow | null) ?? undefined
  }

  /** Prompts of a connection in one session, the newest first. */
  prompts(conn: number, uid: number): CallRow[] {
    const sql = "SELECT * FROM acp_call WHERE conn = ? AND uid = ? AND message IS NOT NULL ORDER BY n DESC"
    return this.#sql(sql).all(conn, uid) as CallRow[]
  }

  callById(conn: number, id: string): CallRow | undefined {
    const sql = "SELECT * FROM acp_call WHERE conn = ? AND id = ? ORDER BY n DESC LIMIT 1"
    return (this.#sql(sql).get(conn, id) as CallRow | null) ?? undefined
  }

  /** Calls that a daemon left unanswered when it went. */
  unanswered(): (CallRow & { conn: number })[] {
    return this.#sql("SELECT * FROM acp_call WHERE message IS NULL ORDER BY conn, n").all() as (CallRow & {
      conn: number
    })[]
  }

  maxCall(conn: number): number {
    return (this.#sql("SELECT coalesce(max(n), 0) AS n FROM acp_call WHERE conn = ?").get(conn) as { n: number }).n
  }

  /** What a client answered to one request of ours; several questions are asked one after the other. */
  saveAnswer(conn: number, request: string, answer: string): void {
    this.#sql("INSERT OR REPLACE INTO acp_answer (conn, request, answer) VALUES (?, ?, ?)").run(conn, request, answer)
  }

  answer(conn: number, request: string): string | undefined {
    const sql = "SELECT answer FROM acp_answer WHERE conn = ? AND request = ?"
    return (this.#sql(sql).get(conn, request) as { answer: string } | null)?.answer
  }

  /** One item as it stands; open ones as they started. */
  item(uid: number, id: string): Item | undefined {
    const row = this.#sql("SELECT doc FROM items WHERE uid = ? AND id = ?").get(uid, id) as { doc: string } | null
    return row === null ? undefined : (JSON.parse(row.doc) as Item)
  }

  /** Items in transcript order that started after `cursor` and not after `last`. */
  items(uid: number, cursor: number, last: number, limit: number): StoredItem[] {
    const sql = `SELECT id, started_seq AS startedSeq, completed_seq AS completedSeq, doc FROM items
      WHERE uid = ? AND started_seq > ? AND started_seq <= ? ORDER BY started_seq LIMIT ?`
    const rows = this.#sql(sql).all(uid, cursor, last, limit) as (Omit<StoredItem, "item"> & { doc: string })[]
    return rows.map(({ doc, ...row }) => ({ ...row, item: JSON.parse(doc) as Item }))
  }
}

export interface StoredItem {
  id: string
  startedSeq: number
  completedSeq: number | null
  item: Item
}

import type { Item } from "@sandbox-agent/schema/item"
import { limits } from "@sandbox-agent/schema/limits"
import type { LiveDatabase, LiveStatement } from "./live-database.ts"
import { cutLog, logBounds } from "./log-bounds.ts"
import { MARK_DELETED } from "./purge.ts"
import { Recent } from "./recent.ts"
import type { LoadedSession, MessageRow, RequestRow, SessionRecord, SessionSecrets, TurnRow } from "./row-types.ts"
import { itemsSql, type StoredItem } from "./transcript-rows.ts"

type Saved = {
  record: string
  secrets: string | null
  first_seq: number
  last_seq: number
  raw_last: number
  log_last: number | null
  log_raw: number | null
  loose_raw: number | null
}
/** Every statement on the state rows. Rows of turns, items and requests are a cache of the log. */
export class Rows {
  /** Messages that became final just now, as they are stored. */
  readonly #messages = new Recent<MessageRow>(limits.recentMessages)

  constructor(readonly db: LiveDatabase) {}

  /** Prepared on first use: a daemon that only lists sessions prepares one statement. */
  #sql(text: string): LiveStatement {
    return this.db.query(text)
  }

  /** One that is there already is left as it is. */
  addSession(r: SessionRecord, secrets: SessionSecrets): void {
    const kept = Object.keys(secrets).length > 0 ? JSON.stringify(secrets) : null
    this.#sql(
      `INSERT INTO sessions (uid, id, alias, agent, status, native_id, record, secrets, first_seq, last_seq, raw_last)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, 0, 0) ON CONFLICT (uid) DO NOTHING`,
    ).run(r.uid, r.id, r.alias, r.agent, r.status, r.native.id ?? null, JSON.stringify(r), kept)
  }

  /** Written with every turn: an update that names a column writes its index, so the native id goes only when it is new. */
  saveSession(r: SessionRecord, firstSeq: number, lastSeq: number, rawLast: number): void {
    this.#sql(
      "UPDATE sessions SET status = ?2, record = ?3, first_seq = ?4, last_seq = ?5, raw_last = ?6 WHERE uid = ?1",
    ).run(r.uid, r.status, JSON.stringify(r), firstSeq, lastSeq, rawLast)
    const nativeId = r.native.id ?? null
    this.#sql("UPDATE sessions SET native_id = ?2 WHERE uid = ?1 AND native_id IS NOT ?2").run(r.uid, nativeId)
  }

  saveSecrets(uid: number, secrets: SessionSecrets): void {
    this.#sql("UPDATE sessions SET secrets = ? WHERE uid = ?").run(JSON.stringify(secrets), uid)
  }

  sessionById(id: string): LoadedSession | undefined {
    return loaded(this.#sql(`${selectSession} WHERE id = ?`).get(id) as Saved | null)
  }

  uidOf(id: string): number | undefined {
    return (this.#sql("SELECT uid FROM sessions WHERE id = ?").get(id) as { uid: number } | null)?.uid
  }

  sessionByUid(uid: number): LoadedSession | undefined {
    return loaded(this.#sql(`${selectSession} WHERE uid = ? AND deleted = 0`).get(uid) as Saved | null)
  }

  ownerOfNative(agent: string, nativeId: string): string | undefined {
    const sql = "SELECT id FROM sessions WHERE agent = ? AND native_id = ? AND deleted = 0 LIMIT 1"
    return (this.#sql(sql).get(agent, nativeId) as { id: string } | null)?.id
  }

  listUids(before: number | undefined, limit: number, agent?: string, status?: string): { uid: number; id: string }[] {
    return this.#sql(
      `SELECT uid, id FROM sessions WHERE deleted = 0 AND uid < ?1 AND (?2 IS NULL OR agent = ?2) AND (?3 IS NULL OR status = ?3)
       ORDER BY uid DESC LIMIT ?4`,
    ).all(before ?? Number.MAX_SAFE_INTEGER, agent ?? null, status ?? null, limit) as { uid: number; id: string }[]
  }

  isUid(uid: number): boolean {
    return this.#sql("SELECT 1 FROM sessions WHERE uid = ? AND deleted = 0").get(uid) !== null
  }

  /** The highest uid that was ever given out, also to sessions that are gone. */
  maxUid(): number {
    const { uid } = this.#sql("SELECT coalesce(max(uid), 0) AS uid FROM sessions").get() as { uid: number }
    return Math.max(uid, Number(this.meta("uid") ?? 0))
  }

  /** Sessions that were not at rest when the last daemon went: to be settled at start. */
  unsettled(): string[] {
    const rows = this.#sql(
      `SELECT id FROM sessions WHERE deleted = 0 AND (status NOT IN ('idle', 'ended')
         OR CASE WHEN json_valid(record)
              THEN json_extract(record, '$.processLive') = 1 OR json_extract(record, '$.background') > 0 END
         OR uid IN (SELECT uid FROM requests WHERE open = 1) OR uid IN (SELECT uid FROM items WHERE completed_seq IS NULL)
         OR uid IN (SELECT uid FROM messages INDEXED BY messages_open WHERE ${OPEN} AND state = 'sending')) ORDER BY uid`,
    ).all() as { id: string }[]
    return rows.map((row) => row.id)
  }

  /** Sessions of which not even the row can be read. */
  unreadable(): string[] {
    const sql = `SELECT id FROM sessions WHERE deleted = 0
      AND NOT (json_valid(record) AND (secrets IS NULL OR json_valid(secrets))) ORDER BY uid`
    return (this.#sql(sql).all() as { id: string }[]).map((row) => row.id)
  }

  withQueue(): string[] {
    const sql = `SELECT id FROM sessions WHERE deleted = 0 AND status <> 'ended'
      AND uid IN (SELECT uid FROM messages INDEXED BY messages_open WHERE ${OPEN} AND state = 'queued') ORDER BY uid`
    return (this.#sql(sql).all() as { id: string }[]).map((row) => row.id)
  }

  saveMessage(uid: number, m: MessageRow): void {
    const { text, attachments, passthrough } = m
    const final = m.state === "taken" || m.state === "withdrawn" || m.state === "failed"
    if (final) this.#messages.set(`${uid} ${m.id}`, { ...m, text: "", attachments: [], passthrough: undefined })
    this.#sql(saveMessageSql).run(
      uid,
      m.id,
      m.ord,
      m.state,
      // Copying all but a few fields takes longer than copying all.
      JSON.stringify({ ...m, text: undefined, attachments: undefined, passthrough: undefined }),
      final ? null : JSON.stringify({ text, attachments, passthrough }),
    )
  }

  message(uid: number, id: string): MessageRow | undefined {
    const recent = this.#messages.get(`${uid} ${id}`)
    if (recent !== undefined) return { ...recent }
    const row = this.#sql("SELECT doc, body FROM messages WHERE uid = ? AND id = ?").get(uid, id) as MessageDoc | null
    return row === null ? undefined : messageOf(row)
  }

  openMessages(uid: number): MessageRow[] {
    const sql = "SELECT doc, body FROM messages WHERE uid = ? AND state IN ('queued', 'sending') ORDER BY ord"
    return (this.#sql(sql).all(uid) as MessageDoc[]).map(messageOf)
  }

  maxMessageOrd(uid: number): number {
    return (this.#sql("SELECT coalesce(max(ord), 0) AS ord FROM messages WHERE uid = ?").get(uid) as { ord: number })
      .ord
  }

  saveTurn(uid: number, t: TurnRow): void {
    this.#sql(saveTurnSql).run(
      uid,
      t.id,
      t.startedSeq,
      t.endedSeq ?? null,
      t.endedAt ?? null,
      t.rawLast ?? null,
      t.nativeRef ?? null,
      JSON.stringify(t.doc),
    )
  }

  turns(uid: number): TurnRow[] {
    const rows = this.#sql("SELECT * FROM turns WHERE uid = ? ORDER BY started_seq").all(uid) as TurnColumns[]
    return rows.map(turnOf)
  }

  openTurn(uid: number): TurnRow | undefined {
    const row = this.#sql("SELECT * FROM turns WHERE uid = ? AND ended_seq IS NULL").get(uid) as TurnColumns | null
    return row === null ? undefined : turnOf(row)
  }

  lastTurnEnd(uid: number, atOrBefore: number): TurnRow | undefined {
    const sql = "SELECT * FROM turns WHERE uid = ? AND ended_seq <= ? ORDER BY ended_seq DESC LIMIT 1"
    const row = this.#sql(sql).get(uid, atOrBefore) as TurnColumns | null
    return row === null ? undefined : turnOf(row)
  }

  /** Where the items end that a session began with, as far as they were told by then. */
  lastReplayed(uid: number, atOrBefore: number): number | undefined {
    const sql = `SELECT max(completed_seq) AS seq FROM items WHERE uid = ? AND completed_seq <= ?
      AND json_extract(doc, '$.turn_id') IS NULL AND json_extract(doc, '$.late') IS NULL`
    return (this.#sql(sql).get(uid, atOrBefore) as { seq: number | null }).seq ?? undefined
  }

  saveItem(uid: number, startedSeq: number, completedSeq: number | undefined, item: Item): void {
    this.#sql(saveItemSql).run(uid, item.item_id, startedSeq, completedSeq ?? null, JSON.stringify(item))
  }

  /** JSON texts in transcript order; open items stand as they were when they started. */
  items(uid: number): StoredItem[] {
    return this.#sql(`${itemsSql} WHERE uid = ? ORDER BY started_seq`).all(uid) as StoredItem[]
  }

  /** The next item in transcript order, as JSON text; an open one stands as it was when it started. */
  itemAfter(uid: number, sequence: number): StoredItem | undefined {
    const sql = `${itemsSql} WHERE uid = ? AND started_seq > ? ORDER BY started_seq LIMIT 1`
    return (this.#sql(sql).get(uid, sequence) as StoredItem | null) ?? undefined
  }

  /** Completed items from the newest back, in short statements: whoever has enough reads no further. */
  *itemsBackwards(uid: number): Generator<Item> {
    const sql = `SELECT started_seq AS seq, doc FROM items WHERE uid = ? AND started_seq < ? AND completed_seq IS NOT NULL
      ORDER BY started_seq DESC LIMIT 16`
    let before = Number.MAX_SAFE_INTEGER
    while (true) {
      const rows = this.#sql(sql).all(uid, before) as { seq: number; doc: string }[]
      for (const { doc } of rows) yield JSON.parse(doc) as Item
      const last = rows.at(-1)
      if (last === undefined) return
      before = last.seq
    }
  }

  /** The first message of the person, or with no role the first of anyone. */
  firstMessage(uid: number, role?: Item["role"]): Item | undefined {
    const sql = `SELECT doc FROM items WHERE uid = ?1 AND completed_seq IS NOT NULL
      AND json_extract(doc, '$.kind') = 'message' AND (?2 IS NULL OR json_extract(doc, '$.role') = ?2)
      ORDER BY started_seq LIMIT 1`
    const row = this.#sql(sql).get(uid, role ?? null) as { doc: string } | null
    return row === null ? undefined : (JSON.parse(row.doc) as Item)
  }

  openItems(uid: number): { startedSeq: number; item: Item }[] {
    const sql = "SELECT started_seq, doc FROM items WHERE uid = ? AND completed_seq IS NULL ORDER BY started_seq"
    const rows = this.#sql(sql).all(uid) as { started_seq: number; doc: string }[]
    return rows.map((row) => ({ startedSeq: row.started_seq, item: JSON.parse(row.doc) as Item }))
  }

  saveRequest(uid: number, r: RequestRow): void {
    this.#sql(saveRequestSql).run(uid, r.id, r.kind, r.open ? 1 : 0, JSON.stringify(r.doc))
  }

  request(uid: number, id: string): RequestRow | undefined {
    const row = this.#sql("SELECT * FROM requests WHERE uid = ? AND id = ?").get(uid, id) as RequestColumns | null
    return row === null ? undefined : requestOf(row)
  }

  requests(uid: number, openOnly: boolean): RequestRow[] {
    const sql = `SELECT * FROM requests WHERE uid = ? ${openOnly ? "AND open = 1" : ""} ORDER BY id`
    return (this.#sql(sql).all(uid) as RequestColumns[]).map(requestOf)
  }

  /** What a person decided, the newest first: a row is written anew when it is resolved. */
  lastDecided(uid: number, limit: number): RequestRow[] {
    const sql = `SELECT * FROM requests WHERE uid = ? AND open = 0 AND json_extract(doc, '$.status') <> 'cancelled'
      AND (kind = 'question' OR json_extract(doc, '$.by') = 'client') ORDER BY rowid DESC LIMIT ?`
    return (this.#sql(sql).all(uid, limit) as RequestColumns[]).map(requestOf)
  }

  addRule(uid: number, key: string): void {
    this.#sql("INSERT OR IGNORE INTO rules (uid, key) VALUES (?, ?)").run(uid, key)
  }

  rules(uid: number): string[] {
    return (this.#sql("SELECT key FROM rules WHERE uid = ?").all(uid) as { key: string }[]).map((row) => row.key)
  }

  markDeleted(uid: number): void {
    this.#sql(MARK_DELETED).run(uid)
  }

  deletedUids(): number[] {
    return (this.#sql("SELECT uid FROM sessions WHERE deleted = 1").all() as { uid: number }[]).map((row) => row.uid)
  }

  saveBlob(uid: number, hash: string, mime: string, bytes: Uint8Array): void {
    this.#sql("INSERT OR IGNORE INTO blobs (hash, mime, bytes) VALUES (?, ?, ?)").run(hash, mime, bytes)
    this.#sql("INSERT OR IGNORE INTO blob_refs (uid, hash) VALUES (?, ?)").run(uid, hash)
  }

  /** What one session may read, another may from now on as well: its items speak of the same bytes. */
  shareBlobs(from: number, to: number): void {
    this.#sql("INSERT OR IGNORE INTO blob_refs (uid, hash) SELECT ?, hash FROM blob_refs WHERE uid = ?").run(to, from)
  }

  /** The bytes are not read for it. */
  blobMime(uid: number, hash: string): string | undefined {
    const sql = "SELECT mime FROM blobs JOIN blob_refs USING (hash) WHERE uid = ? AND hash = ?"
    return (this.#sql(sql).get(uid, hash) as { mime: string } | null)?.mime
  }

  blob(uid: number, hash: string): { mime: string; bytes: Uint8Array } | undefined {
    const sql = "SELECT mime, bytes FROM blobs JOIN blob_refs USING (hash) WHERE uid = ? AND hash = ?"
    return (this.#sql(sql).get(uid, hash) as { mime: string; bytes: Uint8Array } | null) ?? undefined
  }

  processStarted(pid: number, startTime: number, owner: string, label: string): void {
    this.#sql("INSERT OR REPLACE INTO processes (pid, start_time, owner, label) VALUES (?, ?, ?, ?)").run(
      pid,
      startTime,
      owner,
      label,
    )
  }

  processEnded(pid: number): void {
    this.#sql("DELETE FROM processes WHERE pid = ?").run(pid)
  }

  processes(): { pid: number; startTime: number }[] {
    return this.#sql("SELECT pid, start_time AS startTime FROM processes").all() as { pid: number; startTime: number }[]
  }

  logBounds(uid: number): { first: number; last: number } {
    return logBounds(this.db, uid)
  }

  cutLog(uid: number, below: number): number {
    return cutLog(this.db, uid, below)
  }

  meta(key: string): string | undefined {
    return (this.#sql("SELECT value FROM meta WHERE key = ?").get(key) as { value: string } | null)?.value
  }

  setMeta(key: string, value: string): void {
    this.#sql("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)").run(key, value)
  }
}

/** In place: to replace a row would write each of its indexes twice, in a commit that people wait for. */
function upsert(table: string, columns: readonly string[]): string {
  const names = ["uid", "id", ...columns]
  const sets = columns.map((name) => `${name} = excluded.${name}`)
  return `INSERT INTO ${table} (${names}) VALUES (${names.map(() => "?")}) ON CONFLICT (uid, id) DO UPDATE SET ${sets}`
}
const saveMessageSql = upsert("messages", ["ord", "state", "doc", "body"])
const saveTurnSql = upsert("turns", ["started_seq", "ended_seq", "ended_at", "raw_last", "native_ref", "doc"])
const saveItemSql = upsert("items", ["started_seq", "completed_seq", "doc"])
const saveRequestSql = upsert("requests", ["kind", "open", "doc"])

/** What the index of open messages holds, in its own words: else SQLite reads all messages. */
const OPEN = "state IN ('queued', 'sending')"

/** Deltas do not touch the session's row: where its log ends is read from the log itself. */
const selectSession = `SELECT sessions.*,
  (SELECT seq + count - 1 FROM log WHERE log.uid = sessions.uid ORDER BY seq DESC LIMIT 1) AS log_last,
  (SELECT raw_n + raw_count - 1 FROM log WHERE log.uid = sessions.uid AND raw_count > 0 ORDER BY seq DESC LIMIT 1) AS log_raw,
  (SELECT n + count - 1 FROM raw WHERE raw.uid = sessions.uid ORDER BY n DESC LIMIT 1) AS loose_raw FROM sessions`

type MessageDoc = { doc: string; body: string | null }
const messageOf = (row: MessageDoc): MessageRow => ({
  text: "",
  attachments: [],
  ...JSON.parse(row.doc),
  ...(row.body === null ? {} : JSON.parse(row.body)),
})

type TurnColumns = {
  id: string
  started_seq: number
  ended_seq: number | null
  ended_at: number | null
  raw_last: number | null
  native_ref: string | null
  doc: string
}
const turnOf = (row: TurnColumns): TurnRow => ({
  id: row.id,
  startedSeq: row.started_seq,
  endedSeq: row.ended_seq ?? undefined,
  endedAt: row.ended_at ?? undefined,
  rawLast: row.raw_last ?? undefined,
  nativeRef: row.native_ref ?? undefined,
  doc: JSON.parse(row.doc),
})

type RequestColumns = { id: string; kind: string; open: number; doc: string }
const requestOf = (row: RequestColumns): RequestRow => ({
  id: row.id,
  kind: row.kind as RequestRow["kind"],
  open: row.open === 1,
  doc: JSON.parse(row.doc),
})

function loaded(row: Saved | null): LoadedSession | undefined {
  if (row === null) return undefined
  return {
    record: JSON.parse(row.record),
    secrets: row.secrets === null ? {} : JSON.parse(row.secrets),
    firstSeq: row.first_seq,
    lastSeq: Math.max(row.last_seq, row.log_last ?? 0),
    rawLast: Math.max(row.raw_last, row.log_raw ?? 0, row.loose_raw ?? 0),
  }
}

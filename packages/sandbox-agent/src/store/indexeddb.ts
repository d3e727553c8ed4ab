import { SandboxAgentError, StoreError } from "../errors.ts"
import type { SessionInfo } from "../types.ts"
import { cursorOf, parseCursor } from "./cursor.ts"
import { freshEvents, leaseLost } from "./fresh-events.ts"
import {
  answer,
  type BlobRefRow,
  type BlobRow,
  beginningWith,
  type EventRow,
  IndexedDb,
  type LeaseRow,
  type NativeStateRow,
  type SessionRow,
  type Table,
  type Tables,
  type TextRow,
  walk,
} from "./indexeddb-database.ts"
import { pageOf } from "./limits.ts"
import { Listeners } from "./listeners.ts"
import { queryWords, searchedText, wordsOf } from "./searched.ts"
import type {
  Lease,
  ListQuery,
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

export interface IndexedDbOptions {
  /** Name of the database. Default: `sandbox-agent`. */
  name?: string
  /** Default: that of the page or worker. */
  indexedDB?: IDBFactory
}

/** Behind every key that begins with the one before it. */
const last = "\uffff"

/** Sessions in a database of the browser. All pages and workers of one origin share it, and are told of each other's events. */
export class IndexedDbStore implements SessionStore {
  readonly #db: IndexedDb
  readonly #listeners = new Listeners()
  readonly #others: BroadcastChannel | undefined

  private constructor(db: IndexedDb, name: string) {
    this.#db = db
    if (typeof BroadcastChannel === "undefined") return
    this.#others = new BroadcastChannel(`sandbox-agent store ${name}`)
    this.#others.onmessage = ({ data }) => this.#listeners.tell(data)
  }

  static async open({ name = "sandbox-agent", indexedDB }: IndexedDbOptions = {}): Promise<IndexedDbStore> {
    const factory = indexedDB ?? globalThis.indexedDB
    if (factory === undefined) throw new SandboxAgentError("argument", "There is no IndexedDB here")
    return new IndexedDbStore(await IndexedDb.open(name, factory), name)
  }

  lease(sandbox: string, holder: string, forMs: number): Promise<Lease | undefined> {
    return this.#db.transaction(["leases"], "readwrite", async (rows) => {
      const now = Date.now()
      const found = (await answer(rows("leases").get(sandbox))) as LeaseRow | undefined
      const isOwn = found?.holder === holder && found.until > 0
      if (!isOwn && found !== undefined && found.until > now) return undefined
      const epoch = isOwn ? found.epoch : (found?.epoch ?? 0) + 1
      rows("leases").put({ sandbox, holder, epoch, until: now + forMs } satisfies LeaseRow)
      return { sandbox, holder, epoch }
    })
  }

  async release(lease: Lease): Promise<void> {
    await this.#db.transaction(["leases"], "readwrite", async (rows) => {
      const found = await held(rows, lease)
      if (found !== undefined) rows("leases").put({ ...found, until: 0 })
    })
  }

  open(lease: Lease, sessions: readonly SessionInfo[]): Promise<OpenedSession[]> {
    return this.#write(lease, ["sessions"], async (rows) => {
      const opened: OpenedSession[] = []
      for (const info of sessions) {
        const { id, createdAt } = info
        const found = await find(rows, { sandbox: lease.sandbox, id, createdAt })
        const { deletedAt: _, ...known } = found ?? { sandbox: lease.sandbox, id, createdAt, lastSequence: 0, lost: [] }
        const uid = await answer(rows("sessions").put({ ...known, info }))
        opened.push({ uid: String(uid), lastSequence: known.lastSequence })
      }
      return opened
    })
  }

  async append(lease: Lease, batches: readonly SessionBatch[]): Promise<void> {
    const told = await this.#write(lease, ["sessions", "events", "texts"], async (rows) => {
      const grown: SessionRow[] = []
      for (const batch of batches) grown.push(await appendOne(rows, batch))
      return grown
    })
    for (const row of told) this.#tell(row)
  }

  async saveBlob(lease: Lease, uid: string, { hash, mime, bytes }: StoredBlob): Promise<void> {
    await this.#write(lease, ["sessions", "blobs", "blobRefs"], async (rows) => {
      await assertStored(rows, uid)
      if ((await answer(rows("blobs").getKey(hash))) === undefined)
        rows("blobs").put({ hash, mime, bytes } satisfies BlobRow)
      rows("blobRefs").put({ uid: Number(uid), hash } satisfies BlobRefRow)
    })
  }

  async saveNativeState(lease: Lease, uid: string, state: StoredNativeState): Promise<void> {
    await this.#write(lease, ["sessions", "nativeStates"], async (rows) => {
      await assertStored(rows, uid)
      rows("nativeStates").put({ ...state, uid: Number(uid) } satisfies NativeStateRow)
    })
  }

  async markDeleted(lease: Lease, ids: readonly string[]): Promise<void> {
    const { sandbox } = lease
    const deletedAt = new Date().toISOString()
    await this.#write(lease, ["sessions"], async (rows) => {
      for (const id of ids) {
        const range = beginningWith(sandbox, id)
        const found = (await answer(rows("sessions").index("name").getAll(range))) as SessionRow[]
        for (const row of found) rows("sessions").put({ deletedAt, ...row })
      }
    })
    for (const id of ids) this.#tell({ sandbox, id })
  }

  async list({ sandbox, agent, deleted = true, limit, cursor }: ListQuery = {}) {
    const size = pageOf(limit)
    const position = cursor === undefined ? undefined : parseCursor(cursor)
    const of = sandbox === undefined ? [] : [sandbox]
    const until = position === undefined ? [...of, []] : [...of, position.createdAt, Number(position.uid)]
    const range = IDBKeyRange.bound(of, until, false, true)
    const page: SessionRow[] = []
    await this.#db.transaction(["sessions"], "readonly", (rows) => {
      const index = rows("sessions").index(sandbox === undefined ? "created" : "sandbox")
      return walk<SessionRow>(index.openCursor(range, "prev"), (row) => {
        const isWanted = (agent === undefined || row.info.agent === agent) && (deleted || row.deletedAt === undefined)
        if (isWanted) page.push(row)
        return page.length <= size
      })
    })
    const hasMore = page.length > size
    const end = page[size - 1]
    return {
      sessions: page.slice(0, size).map(sessionOf),
      ...(hasMore && end && { nextCursor: cursorOf({ createdAt: end.createdAt, uid: String(end.uid) }) }),
    }
  }

  async get(ref: SessionRef): Promise<StoredSession | undefined> {
    const row = await this.#db.transaction(["sessions"], "readonly", (rows) => find(rows, ref))
    return row && sessionOf(row)
  }

  events(ref: SessionRef, { offset = 0, limit }: { offset?: number; limit?: number } = {}): Promise<StoredPage> {
    return this.#db.transaction(["sessions", "events"], "readonly", async (rows) => {
      const row = await find(rows, ref)
      if (row === undefined)
        throw new StoreError("session_not_found", `No session ${ref.id} of ${ref.sandbox} is stored`)
      const size = pageOf(limit)
      const range = IDBKeyRange.bound([row.uid, offset], [row.uid, []], true)
      const found = (await answer(rows("events").getAll(range, size + 1))) as EventRow[]
      return { events: found.slice(0, size).map(({ event }) => event), hasMore: found.length > size }
    })
  }

  blob(ref: SessionRef, hash: string): Promise<StoredBlob | undefined> {
    return this.#db.transaction(["sessions", "blobs", "blobRefs"], "readonly", async (rows) => {
      const row = await find(rows, ref)
      if (row === undefined || (await answer(rows("blobRefs").getKey([row.uid, hash]))) === undefined) return undefined
      return (await answer(rows("blobs").get(hash))) as BlobRow | undefined
    })
  }

  nativeState(ref: SessionRef): Promise<StoredNativeState | undefined> {
    return this.#db.transaction(["sessions", "nativeStates"], "readonly", async (rows) => {
      const row = await find(rows, ref)
      const found = row && ((await answer(rows("nativeStates").get(row.uid))) as NativeStateRow | undefined)
      if (found === undefined) return undefined
      const { uid: _, ...state } = found
      return state
    })
  }

  async search(text: string, { sandbox, limit }: { sandbox?: string; limit?: number } = {}): Promise<SearchHit[]> {
    const words = queryWords(text)
    // The longest is the rarest, as a rule: the others are looked for in what has it.
    const rarest = [...words].sort((one, other) => other.length - one.length)[0]
    if (rarest === undefined) return []
    return this.#db.transaction(["sessions", "texts"], "readonly", async (rows) => {
      const range = IDBKeyRange.bound(rarest, rarest + last)
      const keys = (await answer(rows("texts").index("words").getAllKeys(range))) as [number, number][]
      const sessions = await sessionsOf(rows, keys)
      const hits: SearchHit[] = []
      let before = ""
      for (const [uid, sequence] of newestFirst(keys, sessions)) {
        const session = sessions.get(uid)
        const key = `${uid} ${sequence}` // a text has several words that begin so
        if (session === undefined || key === before || (sandbox ?? session.sandbox) !== session.sandbox) continue
        before = key
        const row = (await answer(rows("texts").get([uid, sequence]))) as TextRow
        if (!words.every((word) => row.words.some((one) => one.startsWith(word)))) continue
        hits.push({ session: sessionOf(session), sequence, text: row.text })
        if (hits.length === pageOf(limit)) break
      }
      return hits
    })
  }

  drop(before: Date): Promise<number> {
    return this.#db.transaction(
      ["sessions", "events", "texts", "blobs", "blobRefs", "nativeStates"],
      "readwrite",
      async (rows) => {
        const old = await answer(
          rows("sessions")
            .index("created")
            .getAllKeys(IDBKeyRange.upperBound([before.toISOString()], true)),
        )
        for (const uid of old as number[]) {
          rows("events").delete(beginningWith(uid))
          rows("texts").delete(beginningWith(uid))
          rows("nativeStates").delete(uid)
          await dropBlobs(rows, uid)
          rows("sessions").delete(uid)
        }
        return old.length
      },
    )
  }

  onStored(listener: (session: { sandbox: string; id: string }) => void): () => void {
    return this.#listeners.add(listener)
  }

  async close(): Promise<void> {
    this.#others?.close()
    this.#db.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #tell({ sandbox, id }: { sandbox: string; id: string }): void {
    this.#listeners.tell({ sandbox, id })
    this.#others?.postMessage({ sandbox, id })
  }

  #write<T>(lease: Lease, tables: Table[], work: (rows: Tables) => Promise<T>): Promise<T> {
    return this.#db.transaction(["leases", ...tables], "readwrite", async (rows) => {
      if ((await held(rows, lease)) === undefined) throw leaseLost(lease.sandbox)
      return work(rows)
    })
  }
}

async function held(rows: Tables, { sandbox, holder, epoch }: Lease): Promise<LeaseRow | undefined> {
  const found = (await answer(rows("leases").get(sandbox))) as LeaseRow | undefined
  return found?.holder === holder && found.epoch === epoch ? found : undefined
}

async function find(rows: Tables, { sandbox, id, createdAt }: SessionRef): Promise<SessionRow | undefined> {
  const names = rows("sessions").index("name")
  if (createdAt !== undefined) return (await answer(names.get([sandbox, id, createdAt]))) as SessionRow | undefined
  const cursor = await answer(names.openCursor(beginningWith(sandbox, id), "prev"))
  return cursor?.value as SessionRow | undefined
}

async function appendOne(rows: Tables, batch: SessionBatch): Promise<SessionRow> {
  const row = (await answer(rows("sessions").get(Number(batch.uid)))) as SessionRow | undefined
  if (row === undefined) throw new StoreError("session_not_found", `Nothing is stored as ${batch.uid}`)
  const { uid } = row
  const fresh = freshEvents(batch, row.lastSequence)
  for (const event of fresh.events) {
    const { sequence } = event
    rows("events").add({ uid, sequence, event } satisfies EventRow)
    const text = searchedText(event)
    if (text === undefined) continue
    rows("texts").add({ uid, sequence, text, words: [...new Set(wordsOf(text))] } satisfies TextRow)
  }
  const isLost = batch.lost !== undefined && batch.lost.to > row.lastSequence
  const lost = isLost && batch.lost !== undefined ? [...row.lost, batch.lost] : row.lost
  rows("sessions").put({ ...row, lastSequence: fresh.last, lost })
  return row
}

async function assertStored(rows: Tables, uid: string): Promise<void> {
  if ((await answer(rows("sessions").getKey(Number(uid)))) === undefined)
    throw new StoreError("session_not_found", `Nothing is stored as ${uid}`)
}

async function dropBlobs(rows: Tables, uid: number): Promise<void> {
  const named = (await answer(rows("blobRefs").getAllKeys(beginningWith(uid)))) as [number, string][]
  for (const key of named) {
    rows("blobRefs").delete(key)
    const [, hash] = key
    if ((await answer(rows("blobRefs").index("hash").count(hash))) === 0) rows("blobs").delete(hash)
  }
}

async function sessionsOf(rows: Tables, keys: readonly [number, number][]): Promise<Map<number, SessionRow>> {
  const found = new Map<number, SessionRow>()
  for (const uid of new Set(keys.map(([one]) => one)))
    found.set(uid, (await answer(rows("sessions").get(uid))) as SessionRow)
  return found
}

const newestFirst = (
  keys: readonly [number, number][],
  sessions: ReadonlyMap<number, SessionRow>,
): [number, number][] =>
  [...keys].sort(([a, at], [b, bt]) => {
    const [one = "", other = ""] = [sessions.get(a)?.createdAt, sessions.get(b)?.createdAt]
    return one === other ? b - a || bt - at : one < other ? 1 : -1
  })

function sessionOf({ uid: _, ...session }: SessionRow): StoredSession {
  return session
}

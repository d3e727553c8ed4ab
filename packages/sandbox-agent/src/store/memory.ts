import { StoreError } from "../errors.ts"
import type { Event, SessionInfo } from "../types.ts"
import { cursorOf, parseCursor } from "./cursor.ts"
import { freshEvents, leaseLost } from "./fresh-events.ts"
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

interface Kept {
  uid: string
  session: StoredSession
  events: Event[]
  nativeState?: StoredNativeState
}

/** Sessions in the memory of this program. */
export class MemoryStore implements SessionStore {
  readonly #leases = new Map<string, { lease: Lease; until: number }>()
  /** By number, in the order they were begun. */
  readonly #kept = new Map<string, Kept>()
  readonly #named = new Map<string, Kept[]>()
  /** With the sessions that name them. */
  readonly #blobs = new Map<string, { blob: StoredBlob; uids: Set<string> }>()
  readonly #listeners = new Listeners()
  #last = 0

  async lease(sandbox: string, holder: string, forMs: number): Promise<Lease | undefined> {
    const found = this.#leases.get(sandbox)
    const now = performance.now()
    if (found !== undefined && found.until > now && found.lease.holder !== holder) return undefined
    const isOwn = found?.lease.holder === holder && found.until > 0
    const lease = isOwn ? found.lease : { sandbox, holder, epoch: (found?.lease.epoch ?? 0) + 1 }
    this.#leases.set(sandbox, { lease, until: now + forMs })
    return lease
  }

  async release(lease: Lease): Promise<void> {
    if (this.#holds(lease)) this.#leases.set(lease.sandbox, { lease, until: 0 })
  }

  async open(lease: Lease, sessions: readonly SessionInfo[]): Promise<OpenedSession[]> {
    this.#check(lease)
    return sessions.map((info) => {
      const { sandbox } = lease
      const { id, createdAt } = info
      let kept = this.#find({ sandbox, id, createdAt })
      if (kept === undefined) {
        const uid = String(++this.#last)
        kept = { uid, session: { sandbox, id, createdAt, info, lastSequence: 0, lost: [] }, events: [] }
        this.#kept.set(uid, kept)
        this.#named.set(nameOf(kept.session), [...(this.#named.get(nameOf(kept.session)) ?? []), kept])
      }
      const { deletedAt: _, ...session } = kept.session
      kept.session = { ...session, info }
      return { uid: kept.uid, lastSequence: session.lastSequence }
    })
  }

  async append(lease: Lease, batches: readonly SessionBatch[]): Promise<void> {
    this.#check(lease)
    const changes = batches.map((batch) => {
      const kept = this.#kept.get(batch.uid)
      if (kept === undefined) throw new StoreError("session_not_found", `Nothing is stored as ${batch.uid}`)
      return { batch, kept, fresh: freshEvents(batch, kept.session.lastSequence) }
    })
    for (const { batch, kept, fresh } of changes) {
      const { lastSequence, lost } = kept.session
      const isLost = batch.lost !== undefined && batch.lost.to > lastSequence
      kept.events.push(...fresh.events)
      kept.session = {
        ...kept.session,
        lastSequence: fresh.last,
        lost: isLost && batch.lost !== undefined ? [...lost, batch.lost] : lost,
      }
      this.#listeners.tell(kept.session)
    }
  }

  async saveBlob(lease: Lease, uid: string, blob: StoredBlob): Promise<void> {
    this.#check(lease)
    if (!this.#kept.has(uid)) throw new StoreError("session_not_found", `Nothing is stored as ${uid}`)
    const found = this.#blobs.get(blob.hash) ?? { blob, uids: new Set() }
    found.uids.add(uid)
    this.#blobs.set(blob.hash, found)
  }

  async saveNativeState(lease: Lease, uid: string, state: StoredNativeState): Promise<void> {
    this.#check(lease)
    const kept = this.#kept.get(uid)
    if (kept === undefined) throw new StoreError("session_not_found", `Nothing is stored as ${uid}`)
    kept.nativeState = state
  }

  async markDeleted(lease: Lease, ids: readonly string[]): Promise<void> {
    this.#check(lease)
    const deletedAt = new Date().toISOString()
    for (const kept of this.#kept.values()) {
      const { sandbox, id } = kept.session
      if (sandbox !== lease.sandbox || !ids.includes(id)) continue
      kept.session = { deletedAt, ...kept.session }
      this.#listeners.tell(kept.session)
    }
  }

  async list({ sandbox, agent, deleted = true, limit, cursor }: ListQuery = {}) {
    const size = pageOf(limit)
    const after = cursor === undefined ? undefined : parseCursor(cursor)
    const all = this.#sorted().filter(
      ({ uid, session }) =>
        (sandbox === undefined || session.sandbox === sandbox) &&
        (agent === undefined || session.info.agent === agent) &&
        (deleted || session.deletedAt === undefined) &&
        (after === undefined || isBehind({ uid, createdAt: session.createdAt }, after)),
    )
    const page = all.slice(0, size)
    const last = page.at(-1)
    return {
      sessions: page.map(({ session }) => session),
      ...(all.length > size && last && { nextCursor: cursorOf({ uid: last.uid, createdAt: last.session.createdAt }) }),
    }
  }

  async get(ref: SessionRef): Promise<StoredSession | undefined> {
    return this.#find(ref)?.session
  }

  async events(ref: SessionRef, { offset = 0, limit }: { offset?: number; limit?: number } = {}): Promise<StoredPage> {
    const found = this.#find(ref)
    if (found === undefined)
      throw new StoreError("session_not_found", `No session ${ref.id} of ${ref.sandbox} is stored`)
    const rest = found.events.slice(firstBehind(found.events, offset))
    const size = pageOf(limit)
    return { events: rest.slice(0, size), hasMore: rest.length > size }
  }

  async blob(ref: SessionRef, hash: string): Promise<StoredBlob | undefined> {
    const found = this.#blobs.get(hash)
    return found?.uids.has(this.#find(ref)?.uid ?? "") ? found.blob : undefined
  }

  async nativeState(ref: SessionRef): Promise<StoredNativeState | undefined> {
    return this.#find(ref)?.nativeState
  }

  async search(text: string, { sandbox, limit }: { sandbox?: string; limit?: number } = {}): Promise<SearchHit[]> {
    const wanted = queryWords(text)
    if (wanted.length === 0) return []
    const hits: SearchHit[] = []
    for (const { session, events } of this.#sorted()) {
      if (sandbox !== undefined && session.sandbox !== sandbox) continue
      for (const event of events.slice().reverse()) {
        const said = searchedText(event)
        if (said === undefined) continue
        const words = wordsOf(said)
        if (!wanted.every((word) => words.some((one) => one.startsWith(word)))) continue
        hits.push({ session, sequence: event.sequence, text: said })
        if (hits.length === pageOf(limit)) return hits
      }
    }
    return hits
  }

  async drop(before: Date): Promise<number> {
    const old = [...this.#kept.values()].filter(({ session }) => new Date(session.createdAt) < before)
    for (const { uid, session } of old) {
      this.#kept.delete(uid)
      this.#named.set(nameOf(session), this.#named.get(nameOf(session))?.filter((kept) => kept.uid !== uid) ?? [])
    }
    const gone = new Set(old.map(({ uid }) => uid))
    for (const [hash, { uids }] of this.#blobs) {
      for (const uid of uids) if (gone.has(uid)) uids.delete(uid)
      if (uids.size === 0) this.#blobs.delete(hash)
    }
    return old.length
  }

  onStored(listener: (session: { sandbox: string; id: string }) => void): () => void {
    return this.#listeners.add(listener)
  }

  async close(): Promise<void> {
    this.#leases.clear()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #holds({ sandbox, holder, epoch }: Lease): boolean {
    const found = this.#leases.get(sandbox)
    return found?.lease.holder === holder && found.lease.epoch === epoch
  }

  #check(lease: Lease): void {
    if (!this.#holds(lease)) throw leaseLost(lease.sandbox)
  }

  #sorted(): Kept[] {
    return [...this.#kept.values()].sort((a, b) =>
      isBehind({ uid: a.uid, createdAt: a.session.createdAt }, { uid: b.uid, createdAt: b.session.createdAt }) ? 1 : -1,
    )
  }

  #find(ref: SessionRef): Kept | undefined {
    const all = this.#named.get(nameOf(ref)) ?? []
    if (ref.createdAt !== undefined) return all.find(({ session }) => session.createdAt === ref.createdAt)
    return all.slice().sort((a, b) => (a.session.createdAt < b.session.createdAt ? 1 : -1))[0]
  }
}

const nameOf = ({ sandbox, id }: SessionRef): string => JSON.stringify([sandbox, id])

const isBehind = (one: { createdAt: string; uid: string }, other: { createdAt: string; uid: string }): boolean =>
  one.createdAt < other.createdAt || (one.createdAt === other.createdAt && Number(one.uid) < Number(other.uid))

/** Events are sorted and have few gaps. */
function firstBehind(events: readonly Event[], offset: number): number {
  let low = 0
  let high = events.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((events[middle]?.sequence ?? 0) <= offset) low = middle + 1
    else high = middle
  }
  return low
}

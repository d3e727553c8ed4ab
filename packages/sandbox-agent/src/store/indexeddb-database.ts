import { SandboxAgentError, StoreError } from "../errors.ts"
import type { Event, SessionInfo } from "../types.ts"
import type { LostEvents, StoredNativeState } from "./session-store.ts"

export const version = 3

export interface LeaseRow {
  sandbox: string
  holder: string
  epoch: number
  until: number
}
export interface SessionRow {
  uid: number
  sandbox: string
  id: string
  createdAt: string
  info: SessionInfo
  lastSequence: number
  lost: LostEvents[]
  deletedAt?: string
}
export interface EventRow {
  uid: number
  sequence: number
  event: Event
}
/** What was said at a place, and its words. */
export interface TextRow {
  uid: number
  sequence: number
  text: string
  words: string[]
}
export interface BlobRow {
  hash: string
  mime: string
  bytes: Uint8Array<ArrayBuffer>
}
/** A session that names a blob. */
export interface BlobRefRow {
  uid: number
  hash: string
}
export interface NativeStateRow extends StoredNativeState {
  uid: number
}
export interface Rows {
  leases: LeaseRow
  sessions: SessionRow
  events: EventRow
  texts: TextRow
  blobs: BlobRow
  blobRefs: BlobRefRow
  nativeStates: NativeStateRow
}
export type Table = keyof Rows

/** One database of a browser, with promises in place of its events. */
export class IndexedDb {
  private constructor(private readonly db: IDBDatabase) {
    // Another page brings it up to date, or deletes it: neither waits for us.
    db.onversionchange = () => db.close()
  }

  static async open(name: string, factory: IDBFactory): Promise<IndexedDb> {
    const opening = factory.open(name, version)
    opening.onupgradeneeded = ({ oldVersion }) => {
      for (const change of changes.slice(oldVersion)) change(opening.result)
    }
    try {
      return new IndexedDb(await answer(opening))
    } catch (error) {
      if ((error as Error).name !== "VersionError") throw error
      throw new StoreError("version", `${name} was made by a newer version than ${version}`)
    }
  }

  /** All of it or nothing. Within it only requests to the database may be awaited: it ends when there are none. */
  async transaction<T>(
    tables: readonly Table[],
    mode: IDBTransactionMode,
    work: (rows: Tables) => Promise<T>,
  ): Promise<T> {
    const transaction = this.#begin(tables, mode)
    const done = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve()
      transaction.onabort = () => reject(storeError(transaction.error))
    })
    try {
      const result = await work((table) => transaction.objectStore(table))
      await done
      return result
    } catch (error) {
      done.catch(() => undefined)
      if (transaction.error === null) abort(transaction)
      throw error instanceof SandboxAgentError ? error : storeError(error)
    }
  }

  close(): void {
    this.db.close()
  }

  #begin(tables: readonly Table[], mode: IDBTransactionMode): IDBTransaction {
    try {
      return this.db.transaction([...tables], mode)
    } catch (error) {
      throw storeError(error)
    }
  }
}

export type Tables = (table: Table) => IDBObjectStore

export const answer = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

/** Each row until `onRow` says that it is enough. */
export const walk = <T>(request: IDBRequest<IDBCursorWithValue | null>, onRow: (row: T) => boolean): Promise<void> =>
  new Promise((resolve, reject) => {
    request.onerror = () => reject(request.error)
    request.onsuccess = () => {
      const cursor = request.result
      if (cursor === null || !onRow(cursor.value as T)) resolve()
      else cursor.continue()
    }
  })

/** Every key that begins with these. */
export const beginningWith = (...keys: (string | number)[]): IDBKeyRange => IDBKeyRange.bound(keys, [...keys, []])

/** What each version of the database adds to the one before. */
const changes = [createFirst, createBlobs, createNativeStates]

function createNativeStates(db: IDBDatabase): void {
  db.createObjectStore("nativeStates", { keyPath: "uid" })
}

function createBlobs(db: IDBDatabase): void {
  db.createObjectStore("blobs", { keyPath: "hash" })
  const refs = db.createObjectStore("blobRefs", { keyPath: ["uid", "hash"] })
  refs.createIndex("hash", "hash")
}

function createFirst(db: IDBDatabase): void {
  db.createObjectStore("leases", { keyPath: "sandbox" })
  const sessions = db.createObjectStore("sessions", { keyPath: "uid", autoIncrement: true })
  sessions.createIndex("name", ["sandbox", "id", "createdAt"], { unique: true })
  sessions.createIndex("created", ["createdAt", "uid"])
  sessions.createIndex("sandbox", ["sandbox", "createdAt", "uid"])
  db.createObjectStore("events", { keyPath: ["uid", "sequence"] })
  const texts = db.createObjectStore("texts", { keyPath: ["uid", "sequence"] })
  texts.createIndex("words", "words", { multiEntry: true })
}

/** Ended already where the database itself gave up. */
function abort(transaction: IDBTransaction): void {
  try {
    transaction.abort()
  } catch (error) {
    if ((error as Error).name !== "InvalidStateError") throw error
  }
}

function storeError(error: unknown): SandboxAgentError {
  const { name, message } = (error ?? {}) as { name?: string; message?: string }
  return new SandboxAgentError("store", `IndexedDB: ${message || name || "the transaction was aborted"}`, error)
}

import type { Event, SessionInfo } from "../types.ts"

/** A session in a store. Without `createdAt` the newest of its id: an id can be used again after a session was deleted. */
export interface SessionRef {
  sandbox: string
  id: string
  createdAt?: string
}

/** Events that the daemon itself had no more: dropped by its retention, or damaged. */
export interface LostEvents {
  from: number
  to: number
}

export interface StoredSession {
  sandbox: string
  id: string
  createdAt: string
  /** As the daemon told it last. */
  info: SessionInfo
  /** The last event that is stored. */
  lastSequence: number
  lost: readonly LostEvents[]
  /** When it was found to be no longer on its daemon. What is stored stays. */
  deletedAt?: string
}

/** The right to write what one sandbox says. `epoch` grows with every holder. */
export interface Lease {
  readonly sandbox: string
  readonly holder: string
  readonly epoch: number
}

export interface OpenedSession {
  uid: string
  lastSequence: number
}

/** Events of one session, in order, behind those that are stored. */
export interface SessionBatch {
  uid: string
  events: readonly Event[]
  /** In front of `events`. */
  lost?: LostEvents
}

/** Bytes that items name by their hash: a picture, or what was attached to a message. */
export interface StoredBlob {
  hash: string
  mime: string
  bytes: Uint8Array<ArrayBuffer>
}

/** An agent's own record of a session, as its daemon gave it when the session rested. */
export interface StoredNativeState {
  nativeSessionId: string
  /** The event up to which it is current. */
  sequence: number
  data: Uint8Array<ArrayBuffer>
}

export interface ListQuery {
  sandbox?: string
  agent?: string
  /** Also those that are no longer on their daemon; true without. */
  deleted?: boolean
  limit?: number
  cursor?: string
}

export interface SearchHit {
  session: StoredSession
  /** Of the item that was found. */
  sequence: number
  text: string
}

export interface StoredPage {
  events: Event[]
  hasMore: boolean
}

/**
 * Sessions of many sandboxes and all their events. Several programs may write to one store: a sandbox is written by who has its lease, and
 * an event is stored once and in its place whoever brings it.
 */
export interface SessionStore extends AsyncDisposable {
  /** Undefined while another holder has it. Renewed by its own holder. */
  lease(sandbox: string, holder: string, forMs: number): Promise<Lease | undefined>
  release(lease: Lease): Promise<void>

  /** What is known of these sessions; new ones are begun. */
  open(lease: Lease, sessions: readonly SessionInfo[]): Promise<OpenedSession[]>
  /** All of it or nothing. What is stored already is passed over; a gap is refused. */
  append(lease: Lease, batches: readonly SessionBatch[]): Promise<void>
  /** For the session of this number. The same bytes are stored once, for however many sessions; whoever brings them has checked the hash. */
  saveBlob(lease: Lease, uid: string, blob: StoredBlob): Promise<void>
  /** In the place of an older one. */
  saveNativeState(lease: Lease, uid: string, state: StoredNativeState): Promise<void>
  /** These are no longer on the daemon. */
  markDeleted(lease: Lease, ids: readonly string[]): Promise<void>

  /** Newest first. */
  list(query?: ListQuery): Promise<{ sessions: StoredSession[]; nextCursor?: string }>
  get(ref: SessionRef): Promise<StoredSession | undefined>
  /** Behind a sequence, ascending. */
  events(ref: SessionRef, range?: { offset?: number; limit?: number }): Promise<StoredPage>
  /** What an item of the session names as `blob`. Undefined where it is not stored: too large, or gone before it was read. */
  blob(ref: SessionRef, hash: string): Promise<StoredBlob | undefined>
  nativeState(ref: SessionRef): Promise<StoredNativeState | undefined>
  /** What was said: every word of the query begins a word of the text. Newest first. */
  search(text: string, query?: { sandbox?: string; limit?: number }): Promise<SearchHit[]>
  /** Sessions that were created before, with all their events; resolves with how many. */
  drop(before: Date): Promise<number>
  /** Told of sessions of which something was stored, by whatever program where the store can tell. Returns what ends it. */
  onStored(listener: (session: { sandbox: string; id: string }) => void): () => void
  close(): Promise<void>
}

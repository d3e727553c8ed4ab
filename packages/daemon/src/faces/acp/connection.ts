import { acpLimits } from "@sandbox-agent/schema/acp-limits"
import type { AttachRow, CallRow } from "../../store/acp-rows.ts"
import { Log } from "../../store/log.ts"
import type { AcpStore } from "./acp.ts"
import type { Cursor, Entry } from "./entry.ts"
import type { Feed } from "./feed.ts"
import type { Posted } from "./method.ts"
import type { Traits } from "./projection/traits.ts"
import type { RpcId } from "./rpc.ts"
import type { Unposted } from "./unposted.ts"

/** How a client speaks: with our headers on several streams, on one socket, or without headers on one stream. */
export type Dialect = "official" | "socket" | "headerless"

/** What stays of a connection when nobody is there. */
export interface ConnectionDoc {
  dialect: Dialect
  /** Where it was opened; the identity of a client without headers. */
  path: string
  agent?: string
  traits: Traits
  createdAt: number
  /** No message of it stands before this place. */
  startPos: number
  /** Without headers: how many clients began here and did not say that they are done. */
  clients?: number
}

/**
 * One client, whether its streams are open or not. Messages to it beside the events of sessions are in a log of its
 * own; the sessions it is attached to are rows. So it goes on after a cut, and after a restart of the daemon.
 */
export class Connection {
  readonly log: Log
  /** Sessions whose events it gets, now or once. */
  readonly attachments: AttachRow[]
  /** Counts the changes of that list. */
  attachmentChanges = 0
  /** Streams that are open, by the part they carry. */
  readonly feeds = new Map<string, Feed>()
  /** How far each stream has been given to a socket, for clients that come back without a cursor. */
  readonly given = new Map<string, Cursor>()
  /** Of those that ended: the last event they took of each log. */
  readonly had = new Map<string, ReadonlyMap<string, number>>()
  /** Calls whose answer goes, or went, with the body of their own request. */
  readonly inBody = new Set<number>()
  /** Requests of its client in which a turn is waited for: they read the session and decide nothing. */
  readonly turnWaiters = new Set<Posted>()
  /** Prompts whose attachments are on their way. */
  readonly unposted = new Set<Unposted>()
  /** Messages of its client that are being dealt with: it is not forgotten meanwhile. */
  busy = 0
  seen: number
  saved: boolean
  removed = false
  /** Its client was refused, or counts among those without headers: it is held for nobody that is known. */
  counted = false
  /** No event of an attachment that is over stands here or later; of those of an earlier daemon nobody knows it. */
  readonly #endPos = new WeakMap<AttachRow, number>()
  #sequence: number
  #calls: number

  constructor(
    readonly acp: AcpStore,
    readonly uid: number,
    readonly id: string,
    public doc: ConnectionDoc,
    stored: { first: number; last: number; attachments: AttachRow[]; seen: number; saved: boolean; calls: number },
  ) {
    this.log = new Log(-uid)
    this.log.first = stored.first
    this.log.last = stored.last
    this.#sequence = stored.last
    this.attachments = stored.attachments
    this.seen = stored.seen
    this.saved = stored.saved
    this.#calls = stored.calls
  }

  /** The last message of its own, said or to be said. */
  get lastSaid(): number {
    return this.#sequence
  }

  get traits(): Traits {
    return this.doc.traits
  }

  save(): void {
    const { uid, id, seen, doc } = this
    this.saved = true
    this.acp.store.saveRow(`connection ${uid}`, () => {
      if (!this.removed) this.acp.rows.saveConn({ uid, id, seen, doc: JSON.stringify(doc) })
    })
  }

  /** What is said from now on stands behind every event that was written up to now. */
  fence(): void {
    this.acp.store.flush()
  }

  /** Adds a message for its client; visible once it is committed. */
  say(entry: Entry): number {
    if (this.removed) return this.#sequence
    const sequence = ++this.#sequence
    this.acp.store.append(this.log, sequence, JSON.stringify(entry), 0)
    return sequence
  }

  /** A request to be answered: kept until it is, so that a restart leaves nobody waiting. */
  call(id: RpcId, method: string, session: string | undefined): CallRow {
    const n = ++this.#calls
    const row: CallRow = { n, id: JSON.stringify(id), method, session: session ?? null, uid: null, message: null }
    this.keepCall(row)
    return row
  }

  keepCall(row: CallRow): void {
    const { store, rows } = this.acp
    const copy = { ...row }
    store.saveRow(this.#callRow(row), () => {
      if (!this.removed) rows.saveCall(this.uid, copy)
    })
  }

  endCall(row: CallRow): void {
    const { store, rows } = this.acp
    store.saveRow(this.#callRow(row), () => rows.removeCall(this.uid, row.n))
  }

  #callRow({ n }: CallRow): string {
    return `call ${this.uid} ${n}`
  }

  /** Something that will want to say more. */
  async hold<T>(work: Promise<T>): Promise<T> {
    this.busy++
    try {
      return await work
    } finally {
      this.busy--
    }
  }

  attached(session: string): AttachRow | undefined {
    return this.attachments.find((row) => row.session === session && row.toSeq === null)
  }

  saveAttachment(row: AttachRow, change: Partial<AttachRow> = {}): void {
    const { store, rows } = this.acp
    Object.assign(row, change)
    // In the order of their last change: what was detached first is forgotten first.
    this.#endPos.set(row, store.nextPos)
    if (!this.attachments.includes(row)) this.attachments.push(row)
    this.attachmentChanges++
    const copy = { ...row }
    store.write(() => {
      if (!this.removed) rows.attach(this.uid, copy)
    })
  }

  /** Of spans that are over only so many can be read again; a client that is behind them gets an error. */
  forgetSpans(): void {
    const { store, rows } = this.acp
    const over = this.attachments.filter(({ toSeq }) => toSeq !== null)
    const excess = over.length - acpLimits.pastSpans
    if (excess <= 0) return
    const end = (row: AttachRow) => this.#endPos.get(row) ?? 0
    const forgotten = over.sort((a, b) => end(a) - end(b)).slice(0, excess)
    const left = this.attachments.filter((row) => !forgotten.includes(row))
    this.attachments.splice(0, this.attachments.length, ...left)
    this.attachmentChanges++
    this.doc = { ...this.doc, startPos: Math.max(this.doc.startPos, ...forgotten.map(end)) }
    this.save()
    store.write(() => {
      for (const { uid, fromSeq } of forgotten) rows.dropSpan(this.uid, uid, fromSeq)
    })
  }

  dropAttachments(uid: number): void {
    const { store, rows } = this.acp
    const left = this.attachments.filter((row) => row.uid !== uid)
    this.attachments.splice(0, this.attachments.length, ...left)
    this.attachmentChanges++
    store.write(() => rows.dropAttachment(this.uid, uid))
  }

  /** Its streams end when they have given out all. */
  close(): void {
    this.removed = true
    this.log.close()
  }
}

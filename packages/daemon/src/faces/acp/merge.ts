import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import type { Session } from "../../core/session.ts"
import type { AttachRow } from "../../store/acp-rows.ts"
import { type Log, type Page, sizeOf } from "../../store/log.ts"
import type { Followed } from "../http/reading.ts"
import type { Acp } from "./acp.ts"
import { sessionOf } from "./attached-session.ts"
import type { Connection } from "./connection.ts"

/** One log on its way through the merge. */
export interface Subscription {
  readonly log: Log
  /** Absent for the log of the connection itself. */
  readonly session?: Session
  readonly row?: AttachRow
  /** The last event that was taken. */
  seq: number
  pages: Page[]
}

/** What comes next: a page, or the error of a log that could not be read. */
export type Next = { subscription: Subscription } & ({ page: Page } | { error: unknown })

/** The subscription to the log of the connection itself. */
const CONNECTION = "connection"

/**
 * The log of a connection and those of its sessions, merged by their place in the order of all logs. Pages of different
 * logs never overlap, so whole pages are taken. It knows nothing of what is in them, and holds cursors and nothing else.
 */
export class LogMerge {
  /** Wakes its reader when any of the logs has more. */
  readonly waiting: Followed["waiting"]
  readonly #subscriptions = new Map<string, Subscription>()
  /** The attachments as they were when subscriptions were last made of them. */
  #synced = -1
  /** Attachments read to their end. */
  readonly #over = new Set<string>()
  readonly #waiting = new Set<() => void>()

  constructor(
    private readonly acp: Acp,
    private readonly connection: Connection,
    /** Whether it takes the log of a session with this id; `undefined`: of any session at all. */
    private readonly carries: (session?: string) => boolean,
    /** The place up to which its client has everything. */
    private readonly afterPos: () => number,
  ) {
    this.waiting = {
      add: (wake) => {
        for (const { log } of this.#subscriptions.values()) log.waiting.add(wake)
        return this.#waiting.add(wake)
      },
      delete: (wake) => {
        for (const { log } of this.#subscriptions.values()) log.waiting.delete(wake)
        return this.#waiting.delete(wake)
      },
    }
    this.#sync()
  }

  /** What its client lacks and is no longer kept is an error, or passed over. `had`: what an earlier one has `taken`. */
  begin(strict: boolean, had?: ReadonlyMap<string, number>): void {
    for (const [key, subscription] of this.#subscriptions) {
      const { log, session } = subscription
      if (subscription.seq >= log.first - 1) continue
      if (strict && (had?.get(key) ?? 0) < log.first - 1) throw gone(session, log)
      subscription.seq = log.first - 1
    }
  }

  /** The last event that was taken of each log. */
  get taken(): ReadonlyMap<string, number> {
    const taken = new Map([...this.#over].map((key) => [key, Number.POSITIVE_INFINITY]))
    for (const [key, { seq }] of this.#subscriptions) taken.set(key, seq)
    return taken
  }

  hasMore(): boolean {
    if (this.#synced !== this.connection.attachmentChanges) return true
    for (const { log, seq } of this.#subscriptions.values()) if (seq < log.last) return true
    return false
  }

  /** The earliest page that was not taken; undefined when there is none. */
  next(): Next | undefined {
    this.#sync()
    let earliest: Subscription | undefined
    for (const [key, subscription] of this.#subscriptions) {
      const { log, row, session } = subscription
      if (row !== undefined && row.toSeq !== null && subscription.seq >= row.toSeq) {
        this.#drop(key)
        continue
      }
      if (subscription.pages.length === 0)
        try {
          subscription.pages = this.acp.services.reader.pages(log, subscription.seq)
        } catch (error) {
          return { subscription, error }
        }
      const [page] = subscription.pages
      if (page === undefined) {
        // Cut before it was taken: whoever went on would never know.
        if (subscription.seq < log.first - 1 && !this.connection.removed)
          return { subscription, error: gone(session, log) }
        if (log.closed && session?.deleted) this.#deleted(key, session)
      } else if (earliest === undefined || page.pos < (earliest.pages[0]?.pos ?? 0)) earliest = subscription
    }
    const page = earliest?.pages[0]
    return earliest && page && { subscription: earliest, page }
  }

  /** Takes a page up to an event. */
  take(subscription: Subscription, page: Page, seq: number): void {
    subscription.seq = seq
    if (seq >= Math.min(page.first + page.count - 1, subscription.row?.toSeq ?? Number.POSITIVE_INFINITY))
      subscription.pages.shift()
  }

  /** Gives what takes back the next `take` of this page. A long page is read again: a reader that waits for its client has none. */
  undoOf(subscription: Subscription, page?: Page): () => void {
    const { seq } = subscription
    const kept = page === undefined || sizeOf(page) > limits.readerPageBytes ? undefined : page
    return () => {
      subscription.seq = seq
      if (kept === undefined) subscription.pages = []
      else if (subscription.pages[0] !== kept) subscription.pages.unshift(kept)
    }
  }

  reads(log: Log): boolean {
    for (const subscription of this.#subscriptions.values()) if (subscription.log === log) return true
    return false
  }

  /** The last message of the connection itself that was taken. */
  get connectionSeq(): number {
    return this.#subscriptions.get(CONNECTION)?.seq ?? 0
  }

  end(): void {
    for (const key of [...this.#subscriptions.keys()]) this.#drop(key)
    for (const wake of [...this.#waiting]) wake()
    this.#waiting.clear()
  }

  /** Follows the attachments of its connection. */
  #sync(): void {
    const { connection } = this
    if (this.#synced === connection.attachmentChanges) return
    this.#synced = connection.attachmentChanges
    if (!this.#subscriptions.has(CONNECTION))
      this.#add(CONNECTION, { log: connection.log, seq: this.#start(connection.log, 0), pages: [] })
    const known = new Set(connection.attachments.map(({ uid, fromSeq }) => `${uid}:${fromSeq}`))
    for (const key of this.#over) if (!known.has(key)) this.#over.delete(key)
    for (const row of connection.attachments) {
      const key = `${row.uid}:${row.fromSeq}`
      // One that was attached again before anything happened goes on.
      const over = this.#over.has(key) && row.toSeq !== null
      if (this.#subscriptions.has(key) || over || !this.carries(row.session)) continue
      const session = sessionOf(this.acp, row)
      const from = session === undefined ? 0 : this.#start(session.log, row.fromSeq)
      if (session === undefined || (row.toSeq !== null && from >= row.toSeq)) this.#over.add(key)
      else this.#add(key, { log: session.log, session, row, seq: from, pages: [] })
    }
  }

  /** The last event that is of no use to this reader: before its attachment, or before its cursor. */
  #start(log: Log, from: number): number {
    const pos = this.afterPos()
    return pos === 0 ? from : Math.max(from, this.acp.services.reader.sequenceBefore(log, pos))
  }

  /** Sessions are kept in memory as long as somebody reads them. */
  #add(key: string, subscription: Subscription): void {
    subscription.log.readers++
    if (subscription.session) subscription.session.acpReaders++
    for (const wake of this.#waiting) subscription.log.waiting.add(wake)
    this.#subscriptions.set(key, subscription)
  }

  /** Read to its end, which was the session's last event. */
  #deleted(key: string, { record }: Session): void {
    this.#drop(key)
    this.connection.dropAttachments(record.uid)
  }

  #drop(key: string): void {
    const subscription = this.#subscriptions.get(key)
    if (subscription === undefined) return
    this.#subscriptions.delete(key)
    this.#over.add(key)
    subscription.log.readers--
    if (subscription.session) subscription.session.acpReaders--
    for (const wake of this.#waiting) subscription.log.waiting.delete(wake)
  }
}

const gone = (session: Session | undefined, { first }: Log): SandboxAgentError =>
  new SandboxAgentError("gone", "what follows the last message of this stream is no longer kept", {
    firstSequence: first,
    ...(session === undefined ? {} : { sessionId: session.record.id, hint: "Load the session with session/load." }),
  })

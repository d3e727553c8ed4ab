import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import type { Session } from "../../core/session.ts"
import type { AttachRow } from "../../store/acp-rows.ts"
import { isCorrupt, offsetAfter } from "../../store/damage.ts"
import { jsonOf } from "../../store/frames.ts"
import { type Log, type Page, sizeOf } from "../../store/log.ts"
import type { Followed } from "../http/reading.ts"
import type { Acp } from "./acp.ts"
import { answerLines } from "./answer-lines.ts"
import { sessionOf } from "./attached-session.ts"
import type { Connection } from "./connection.ts"
import { type Cursor, type Entry, isAfter, type Line } from "./entry.ts"
import { extensionNotifications } from "./projection/capabilities.ts"
import { Replay } from "./replay-lines.ts"
import { followedBy, type Step, stepOf } from "./step.ts"
import { Taken } from "./taken.ts"

/** Which messages a stream carries: all, those of no session, or those of one. */
export type Part = { kind: "all" } | { kind: "connection" } | { kind: "session"; id: string }

export const partKey = (part: Part): string => (part.kind === "session" ? `session ${part.id}` : part.kind)

/** One log on its way through the merge. */
interface Subscription {
  readonly log: Log
  readonly session?: Session
  readonly row?: AttachRow
  seq: number
  pages: Page[]
}

/**
 * What one stream of a connection carries: its own log and those of its sessions, merged by their place in the order of
 * all logs. Pages of different logs never overlap, so the merge takes whole pages. It holds cursors and nothing else.
 */
export class Feed implements Followed {
  first = 0
  readonly waiting: Followed["waiting"]
  readonly #subscriptions = new Map<string, Subscription>()
  /** The attachments as they were when subscriptions were last made of them. */
  #synced = -1
  /** Attachments read to their end. */
  readonly #over = new Set<string>()
  readonly #waiting = new Set<() => void>()
  #replay: Replay | undefined
  /** Takes back the last step. */
  #undo = () => {}
  /** Everything up to this place was given out. */
  #all = 0
  /** What its socket has of that. */
  readonly taken = new Taken()
  /** What stands here or later was said while it was open. */
  readonly #opened: number
  #readers = 0
  #ended = false

  constructor(
    readonly acp: Acp,
    readonly connection: Connection,
    readonly part: Part,
    /** The last message its client has. */
    public after: Cursor,
    /** Its name among the streams of its connection. */
    readonly key: string = partKey(part),
    /** The client named its cursor: what it lacks and is no longer kept is an error. */
    strict = true,
  ) {
    const add = (wake: () => void) => {
      for (const { log } of this.#subscriptions.values()) log.waiting.add(wake)
      return this.#waiting.add(wake)
    }
    const remove = (wake: () => void) => {
      for (const { log } of this.#subscriptions.values()) log.waiting.delete(wake)
      return this.#waiting.delete(wake)
    }
    this.waiting = { add, delete: remove }
    this.#opened = acp.store.nextPos
    this.#sync()
    for (const subscription of this.#subscriptions.values()) {
      if (subscription.seq >= subscription.log.first - 1) continue
      if (strict) {
        this.end()
        throw gone(subscription.session, subscription.log)
      }
      subscription.seq = subscription.log.first - 1
    }
  }

  get closed(): boolean {
    return this.#ended || this.connection.log.closed
  }

  get readers(): number {
    return this.#readers
  }

  /** Sessions are kept in memory as long as somebody reads them. */
  set readers(count: number) {
    this.#readers = count
    if (count === 0) this.end()
  }

  /** Another reader took its place, or its own has left. */
  end(): void {
    this.#ended = true
    for (const key of [...this.#subscriptions.keys()]) this.#drop(key)
    const { feeds } = this.connection
    if (feeds.get(this.key) === this) feeds.delete(this.key)
    for (const wake of [...this.#waiting]) wake()
    this.#waiting.clear()
    this.taken.end()
  }

  /** Whether there may be something to give out. */
  hasMore(): boolean {
    if (this.#replay !== undefined || this.#synced !== this.connection.attachmentChanges) return true
    for (const { log, seq } of this.#subscriptions.values()) if (seq < log.last) return true
    return false
  }

  /** The next messages; undefined when there is none yet. It never looks further than a page, so that others have their turn. */
  step(): Step | undefined {
    if (this.#ended) return undefined
    const before = this.after
    this.#undo = () => {}
    const step = this.#replay === undefined ? this.#merge() : this.#told(this.#replay)
    if (step === undefined) {
      this.#all = this.acp.store.nextPos - 1
      return undefined
    }
    const undo = this.#undo
    this.#undo = () => {
      undo()
      this.#passed(before)
    }
    if (step.last !== undefined) this.#passed({ pos: step.last.pos, k: step.last.k })
    return step
  }

  /** As before the last step, or as after these of its messages: the others come again with the next one. */
  back(to?: Cursor): void {
    this.#undo()
    this.#undo = () => {}
    if (to !== undefined) this.#passed({ pos: to.pos, k: to.k })
  }

  #passed(after: Cursor): void {
    this.after = after
    // Streams without a name of their own are never come back to without a cursor.
    if (this.key === partKey(this.part)) this.connection.given.set(this.key, after)
  }

  #merge(): Step | undefined {
    this.#sync()
    let earliest: Subscription | undefined
    for (const [key, subscription] of this.#subscriptions) {
      const { log, row } = subscription
      if (subscription.seq < log.first - 1) this.first = Number.POSITIVE_INFINITY // overtaken: `follow` ends, the client returns and is told
      if (row?.toSeq !== null && row !== undefined && subscription.seq >= row.toSeq) {
        this.#drop(key)
        continue
      }
      if (subscription.pages.length === 0)
        try {
          subscription.pages = this.acp.services.reader.pages(log, subscription.seq)
        } catch (error) {
          return this.#damaged(subscription, error)
        }
      const [page] = subscription.pages
      if (page === undefined) {
        if (log.closed && subscription.session?.deleted) this.#deleted(key, subscription.session)
        continue
      }
      if (earliest === undefined || page.pos < (earliest.pages[0]?.pos ?? 0)) earliest = subscription
    }
    const page = earliest?.pages[0]
    if (earliest === undefined || page === undefined) return undefined
    const subscription = earliest
    const { seq } = subscription
    // A long page is read again: a reader that waits for its client has none.
    const kept = sizeOf(page) > limits.readerPageBytes ? undefined : page
    this.#undo = () => {
      subscription.seq = seq
      if (kept === undefined) subscription.pages = []
      else if (subscription.pages[0] !== kept) subscription.pages.unshift(kept)
      this.#replay = undefined
    }
    return earliest.session === undefined
      ? this.#own(earliest, page)
      : this.#ofSession(earliest, page, earliest.session)
  }

  /** Other sessions are on this stream as well: it goes on behind the damage, and says what was left out. */
  #damaged(subscription: Subscription, error: unknown): Step {
    const offset = offsetAfter(error)
    if (offset === undefined || !SandboxAgentError.is(error)) throw error
    const { seq } = subscription
    this.#undo = () => {
      subscription.seq = seq
    }
    subscription.seq = offset
    const { firstDamaged, lastDamaged } = error.context
    return this.#tellDamage(subscription.session?.record.id, { firstDamaged, lastDamaged, message: error.detail })
  }

  #tellDamage(sessionId: string | undefined, about: object): Step {
    const params = { ...(sessionId && { sessionId }), ...about }
    const envelope = { jsonrpc: "2.0", method: extensionNotifications.storeDamaged, params }
    const { pos, k } = this.after
    return stepOf([{ pos: Math.max(pos, 0), k: k + 1, json: JSON.stringify(envelope) }])
  }

  /** Messages of the connection itself, up to the next history that is told in between. */
  #own(subscription: Subscription, page: Page): Step {
    const lines: Line[] = []
    const texts = jsonOf(page.bytes, page.first)
    for (let i = Math.max(0, subscription.seq + 1 - page.first); i < texts.length; i++) {
      const entry = JSON.parse(texts[i] as string) as Entry
      const pos = page.pos + i
      subscription.seq = page.first + i
      if (!this.#carries(entry.to)) continue
      if ("load" in entry) {
        this.#replay = new Replay(this.acp, this.connection, entry, pos)
        break
      }
      const line: Line = { pos, k: 0, json: JSON.stringify(entry.envelope), call: entry.call }
      if (isAfter(line, this.after) && !this.#leftOut(line)) lines.push(this.#named(line))
    }
    if (subscription.seq >= page.first + page.count - 1) subscription.pages.shift()
    return stepOf(lines)
  }

  #ofSession(subscription: Subscription, page: Page, session: Session): Step {
    const { connection, acp } = this
    const last = page.first + page.count - 1
    const until = Math.min(last, subscription.row?.toSeq ?? last)
    const projected = acp.pages.of(session, page, connection.traits)
    const from = subscription.seq
    subscription.seq = until
    subscription.pages.shift()
    const whole = from < page.first && until === last && page.pos > this.after.pos
    const answers = answerLines(acp, connection, session, projected.joins)
    if (whole && projected.cancels.size === 0) {
      if (answers.length === 0) return projected
      const ours = answers.filter((line) => !this.#leftOut(line)).map((line) => this.#named(line))
      if (ours.every((line) => isAfter(line, projected.last ?? this.after))) return followedBy(projected, ours)
    }
    const mine = projected.lines.filter(
      ({ seq, cancels }) => seq > from && seq <= until && (cancels === undefined || !this.#answered(cancels)),
    )
    const own = answers.filter((line) => line.seq > from && line.seq <= until && !this.#leftOut(line))
    const lines: Line[] = [...mine, ...own.map((line) => this.#named(line))].filter((line) => isAfter(line, this.after))
    return stepOf(lines.sort((a, b) => a.pos - b.pos || a.k - b.k))
  }

  reads(log: Log): boolean {
    for (const subscription of this.#subscriptions.values()) if (subscription.log === log) return true
    return false
  }

  /** Whether all up to a place was given out, as far as it is for this stream. */
  passed(pos: number): boolean {
    return this.#ended || this.after.pos >= pos || this.#all >= pos
  }

  /** Whether a message of the connection's own, or the history told in its place, was given out. */
  told(seq: number): boolean {
    return this.#ended || (this.#replay === undefined && (this.#subscriptions.get("own")?.seq ?? 0) >= seq)
  }

  #told(replay: Replay): Step {
    const { at } = replay
    this.#undo = () => {
      replay.at = at
      this.#replay = replay
    }
    let lines: Line[] | undefined
    try {
      lines = replay.next()
    } catch (error) {
      if (!isCorrupt(error)) throw error
      this.#replay = undefined
      return this.#tellDamage(undefined, { message: "the rest of the history is damaged in the store" })
    }
    if (lines === undefined) this.#replay = undefined
    return stepOf((lines ?? []).filter((line) => isAfter(line, this.after)))
  }

  #answered(request: string): boolean {
    return this.acp.rows.answer(this.connection.uid, request) !== undefined
  }

  /** Where several clients without headers share a stream, an answer belongs to the one that got it in its body. */
  #leftOut(line: Line): boolean {
    const { feeds, doc } = this.connection
    // A stream too many is not yet a client too many: one that was cut off may not have been noticed to be gone.
    return this.#inBody(line) && feeds.size > 1 && (doc.clients ?? 0) > 1
  }

  /**
   * An answer in the same chunk as the last updates would be taken before these: it has a name here, and clients that
   * heed names take it from the body, which comes after. Whoever comes back for what it missed gets it as it is.
   */
  #named(line: Line): Line {
    return this.#inBody(line) && line.pos >= this.#opened ? { ...line, event: "answer" } : line
  }

  #inBody({ call }: Line): boolean {
    return call !== undefined && this.connection.inBody.has(call)
  }

  #carries(session: string | undefined): boolean {
    const { part } = this
    return part.kind === "all" || (part.kind === "session" ? session === part.id : session === undefined)
  }

  /** Follows the attachments of its connection. */
  #sync(): void {
    const { connection } = this
    if (this.#synced === connection.attachmentChanges) return
    this.#synced = connection.attachmentChanges
    if (!this.#subscriptions.has("own"))
      this.#add("own", { log: connection.log, seq: this.#start(connection.log, 0), pages: [] })
    if (this.part.kind === "connection") return
    const known = new Set(connection.attachments.map(({ uid, fromSeq }) => `${uid}:${fromSeq}`))
    for (const key of this.#over) if (!known.has(key)) this.#over.delete(key)
    for (const row of connection.attachments) {
      const key = `${row.uid}:${row.fromSeq}`
      // One that was attached again before anything happened goes on.
      const over = this.#over.has(key) && row.toSeq !== null
      if (this.#subscriptions.has(key) || over || !this.#carries(row.session)) continue
      const session = sessionOf(this.acp, row)
      const from = session === undefined ? 0 : this.#start(session.log, row.fromSeq)
      if (session === undefined || (row.toSeq !== null && from >= row.toSeq)) this.#over.add(key)
      else this.#add(key, { log: session.log, session, row, seq: from, pages: [] })
    }
  }

  /** The last event that is of no use to this reader: before its attachment, or before its cursor. */
  #start(log: Log, from: number): number {
    if (this.after.pos === 0) return from
    return Math.max(from, this.acp.services.reader.sequenceBefore(log, this.after.pos))
  }

  #add(key: string, subscription: Subscription): void {
    subscription.log.readers++
    if (subscription.session) subscription.session.acpReaders++
    for (const wake of this.#waiting) subscription.log.waiting.add(wake)
    this.#subscriptions.set(key, subscription)
  }

  /** Read to its end, which its client was told with the session's last event. */
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
  new SandboxAgentError("gone", "messages after this Last-Event-ID are no longer kept", {
    firstSequence: first,
    ...(session === undefined ? {} : { sessionId: session.record.id, hint: "Load the session with session/load." }),
  })

import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Session } from "../../core/session.ts"
import { isCorrupt, offsetAfter } from "../../store/damage.ts"
import { jsonOf } from "../../store/frames.ts"
import type { Log, Page } from "../../store/log.ts"
import type { Followed } from "../http/reading.ts"
import type { Acp } from "./acp.ts"
import { answerLines } from "./answer-lines.ts"
import type { Connection } from "./connection.ts"
import { type Cursor, type Entry, isAfter, type Line } from "./entry.ts"
import { LogMerge, type Subscription } from "./merge.ts"
import { extensionNotifications } from "./projection/capabilities.ts"
import { Replay } from "./replay-lines.ts"
import { followedBy, type Step, stepOf } from "./step.ts"
import { Taken } from "./taken.ts"
import { type Part, partKey, Visibility } from "./visibility.ts"

/** What one stream of a connection carries: the messages of its merged logs that are for its client, step by step. */
export class Feed implements Followed {
  /** Who is overtaken by retention is told by the next step. */
  readonly first = 0
  readonly waiting: Followed["waiting"]
  readonly #merge: LogMerge
  readonly #visibility: Visibility
  /** The history that is being sent: nothing else is until its end. */
  #replay: Replay | undefined
  /** Takes back the last step. */
  #undo = () => {}
  /** Everything up to this place was given out. */
  #all = 0
  /** What its socket has of that. */
  readonly taken = new Taken()
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
    const visibility = new Visibility(acp, connection, part)
    const carries = (session?: string) => part.kind !== "connection" && visibility.carries(session)
    this.#visibility = visibility
    this.#merge = new LogMerge(acp, connection, carries, () => this.after.pos)
    this.waiting = this.#merge.waiting
    try {
      this.#merge.begin(strict, connection.had.get(key))
    } catch (error) {
      this.#merge.end()
      throw error
    }
  }

  get closed(): boolean {
    return this.#ended || this.connection.log.closed
  }

  get readers(): number {
    return this.#readers
  }

  set readers(count: number) {
    this.#readers = count
    if (count === 0) this.end()
  }

  /** Another reader took its place, or its own has left. */
  end(): void {
    if (!this.#ended && this.connection.given.has(this.key)) this.connection.had.set(this.key, this.#merge.taken)
    this.#ended = true
    const { feeds } = this.connection
    if (feeds.get(this.key) === this) feeds.delete(this.key)
    this.acp.connections.onUsed?.()
    this.#merge.end()
    this.taken.end()
  }

  /** Whether there may be something to give out. */
  hasMore(): boolean {
    return this.#replay !== undefined || this.#merge.hasMore()
  }

  /** The next messages; undefined when there is none yet. It never looks further than a page, so that others have their turn. */
  step(): Step | undefined {
    if (this.#ended) return undefined
    const before = this.after
    this.#undo = () => {}
    const step = this.#replay === undefined ? this.#nextPage() : this.#nextOfReplay(this.#replay)
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

  reads(log: Log): boolean {
    return this.#merge.reads(log)
  }

  /** Whether all up to a place was given out, as far as it is for this stream. */
  passed(pos: number): boolean {
    return this.#ended || this.after.pos >= pos || this.#all >= pos
  }

  /** Whether a message of the connection itself, or the history sent in its place, was given out. */
  hasSent(seq: number): boolean {
    return this.#ended || (this.#replay === undefined && this.#merge.connectionSeq >= seq)
  }

  #nextPage(): Step | undefined {
    const next = this.#merge.next()
    if (next === undefined) return undefined
    const { subscription } = next
    if ("error" in next) return this.#damaged(subscription, next.error)
    const undo = this.#merge.undoOf(subscription, next.page)
    this.#undo = () => {
      undo()
      this.#replay = undefined
    }
    const { session } = subscription
    return session === undefined
      ? this.#ofConnection(subscription, next.page)
      : this.#ofSession(subscription, next.page, session)
  }

  /** Messages of the connection itself, up to the next history that is sent in between. */
  #ofConnection(subscription: Subscription, page: Page): Step {
    const lines: Line[] = []
    const texts = jsonOf(page.bytes, page.first)
    let seq = Math.max(page.first - 1, subscription.seq)
    while (seq < page.first + page.count - 1 && this.#replay === undefined) {
      const i = ++seq - page.first
      const entry = JSON.parse(texts[i] as string) as Entry
      if (!this.#visibility.carries(entry.to)) continue
      const pos = page.pos + i
      if ("load" in entry) this.#replay = new Replay(this.acp, this.connection, entry, pos)
      else lines.push({ pos, k: 0, json: JSON.stringify(entry.envelope), call: entry.call })
    }
    this.#merge.take(subscription, page, seq)
    return stepOf(this.#visibility.answers(lines.filter((line) => isAfter(line, this.after))))
  }

  #ofSession(subscription: Subscription, page: Page, session: Session): Step {
    const { connection, acp, after } = this
    const last = page.first + page.count - 1
    const until = Math.min(last, subscription.row?.toSeq ?? last)
    const from = subscription.seq
    const projected = acp.pages.of(session, page, connection.traits)
    this.#merge.take(subscription, page, until)
    const answers = answerLines(acp, connection, session, projected.joins)
    if (from < page.first && until === last && page.pos > after.pos && projected.cancels.size === 0) {
      if (answers.length === 0) return projected
      const visible = this.#visibility.answers(answers)
      if (visible.every((line) => isAfter(line, projected.last ?? after))) return followedBy(projected, visible)
    }
    const isTaken = ({ seq }: { seq: number }): boolean => seq > from && seq <= until
    const lines: Line[] = [
      ...projected.lines.filter((line) => isTaken(line) && !this.#visibility.isOwnAnswer(line.cancels)),
      ...this.#visibility.answers(answers.filter(isTaken)),
    ]
    return stepOf(lines.filter((line) => isAfter(line, after)).sort((a, b) => a.pos - b.pos || a.k - b.k))
  }

  #nextOfReplay(replay: Replay): Step {
    const { at } = replay
    this.#undo = () => {
      replay.at = at
      this.#replay = replay
    }
    let lines: Line[] | undefined
    try {
      lines = replay.next(this.after)
    } catch (error) {
      if (!isCorrupt(error)) throw error
      this.#replay = undefined
      return this.#damageNotice(undefined, { message: "the rest of the history is damaged in the store" })
    }
    if (lines === undefined) this.#replay = undefined
    return stepOf(lines ?? [])
  }

  /** Other sessions are on this stream as well: it goes on behind the damage, and says what was left out. */
  #damaged(subscription: Subscription, error: unknown): Step {
    const offset = offsetAfter(error)
    if (offset === undefined || !SandboxAgentError.is(error)) throw error
    this.#undo = this.#merge.undoOf(subscription)
    subscription.seq = offset
    const { firstDamaged, lastDamaged } = error.context
    return this.#damageNotice(subscription.session?.record.id, { firstDamaged, lastDamaged, message: error.detail })
  }

  #damageNotice(sessionId: string | undefined, about: object): Step {
    const params = { ...(sessionId && { sessionId }), ...about }
    const envelope = { jsonrpc: "2.0", method: extensionNotifications.storeDamaged, params }
    const { pos, k } = this.after
    return stepOf([{ pos: Math.max(pos, 0), k: k + 1, json: JSON.stringify(envelope) }])
  }
}

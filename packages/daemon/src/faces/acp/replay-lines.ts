import type { Event } from "@sandbox-agent/schema/event"
import type { Item } from "@sandbox-agent/schema/item"
import { limits } from "@sandbox-agent/schema/limits"
import { Fold } from "../../core/fold.ts"
import { withRepair } from "../../core/refold.ts"
import type { Session } from "../../core/session.ts"
import type { StoredItem } from "../../store/acp-rows.ts"
import type { Acp } from "./acp.ts"
import { sessionOf } from "./attached-session.ts"
import type { Connection } from "./connection.ts"
import { type Cursor, isAfter, type Line, type Loaded } from "./entry.ts"
import { withJoinedChunks } from "./joined-chunks.ts"
import { replay } from "./projection/replay.ts"
import { traitsKey } from "./projection/traits.ts"
import { sourcesOf } from "./sources.ts"
import { ToldLog } from "./told-log.ts"

/** One item of a history as clients see it, and where it stands. */
export interface ProjectedItem {
  readonly startedSeq: number
  readonly texts: readonly string[]
}

/**
 * A place in a history: after the event, or the item that began, at `cursor`, and so many messages of the next item. Up to
 * `folded` items are told, from there on what the agent said itself.
 */
interface ReplayPosition {
  readonly cursor: number
  readonly from: number
  readonly folded: number
}

/** Of one event, or of one item: the number of a message says what it is of, whatever else is still kept when it is sent again. */
const MESSAGES = 10_000

/**
 * The history of a session up to the moment it was loaded, the same whenever it is sent: a client that was cut off in
 * the middle goes on where it was. Items may be of some megabytes: a reader that waits for its client has none of them.
 */
export class Replay {
  at: ReplayPosition = { cursor: 0, from: 0, folded: 0 }
  readonly #history: History | undefined
  readonly #told: ToldLog | undefined

  constructor(
    acp: Acp,
    connection: Connection,
    readonly entry: Loaded,
    readonly pos: number,
  ) {
    const session = sessionOf(acp, { uid: entry.load.uid, session: entry.to })
    if (session === undefined) return
    this.#history = new History(acp, session, connection, entry)
    if (session.driver?.protocol === "acp") this.#told = new ToldLog(acp, session, connection.traits, entry.load.seq)
    else this.at = { ...this.at, folded: entry.load.seq }
  }

  /** The next messages of those after a place, about a page of them; undefined at the end. */
  next(after: Cursor): Line[] | undefined {
    const lines: Line[] = []
    const { seq } = this.entry.load
    let { cursor, from, folded } = this.at
    for (let size = 0; cursor < seq && size < limits.readerPageBytes; ) {
      if (cursor >= folded) {
        const told = this.#told?.after(cursor)
        if (told === undefined) break
        cursor = told.last
        folded = told.folded
        for (const { n, k, json } of told.messages) {
          lines.push({ pos: this.pos, k: n * MESSAGES + k, json })
          size += json.length
        }
        continue
      }
      const item = this.#history?.after(cursor)
      if (item === undefined || item.startedSeq > folded) {
        cursor = folded
        continue
      }
      const json = item.texts[from++]
      if (json === undefined) {
        cursor = item.startedSeq
        from = 0
        continue
      }
      lines.push({ pos: this.pos, k: item.startedSeq * MESSAGES + from - 1, json })
      size += json.length
    }
    this.at = { cursor, from, folded }
    if (lines.length === 0 && cursor >= seq) return undefined
    const due = lines.filter((line) => isAfter(line, after))
    return this.#told === undefined ? due : withJoinedChunks(due)
  }
}

/** The items of a session up to a moment. */
class History {
  #fold: Fold | undefined

  constructor(
    readonly acp: Acp,
    readonly session: Session,
    readonly connection: Connection,
    readonly entry: Loaded,
  ) {}

  /** The item that began after `cursor`. */
  after(cursor: number): ProjectedItem | undefined {
    const { acp, connection, entry } = this
    const key = `${entry.load.uid} ${entry.load.seq} ${cursor} ${traitsKey(connection.traits)}`
    const known = acp.pages.items.get(key)
    if (known !== undefined) return known
    const item = this.#project(cursor)
    if (item !== undefined) acp.pages.items.keep(key, item, sizeOf(item))
    return item
  }

  #project(cursor: number): ProjectedItem | undefined {
    const { acp, session, connection, entry } = this
    const { uid, seq } = entry.load
    const [row] = withRepair(session, () => acp.rows.items(uid, cursor, seq, 1))
    if (row === undefined) return undefined
    const item = isDone(row, seq) ? row.item : this.#openItem(row)
    const envelopes = replay([item], connection.traits, entry.to, sourcesOf(acp, session))
    return { startedSeq: row.startedSeq, texts: envelopes.map((envelope) => JSON.stringify(envelope)) }
  }

  #openItem({ item, startedSeq }: StoredItem): Item {
    this.#fold ??= foldOf(this.acp, this.session, startedSeq, this.entry.load.seq)
    return { ...item, status: "in_progress", content: contentOf(this.#fold, item) }
  }
}

const sizeOf = ({ texts }: ProjectedItem): number => texts.reduce((sum, { length }) => sum + length, 0)

const isDone = ({ completedSeq }: StoredItem, seq: number): boolean => completedSeq !== null && completedSeq <= seq

const contentOf = (fold: Fold, item: Item): Item["content"] => fold.items.get(item.item_id)?.item.content ?? []

/** Items that were open then, with the text they had. */
function foldOf(acp: Acp, s: Session, from: number, to: number): Fold {
  const fold = new Fold()
  const { reader } = acp.services
  for (let cursor = from - 1; cursor < to; ) {
    const events = reader.readable(s.log, cursor, Math.min(1_000, to - cursor))
    if (events.length === 0) break
    for (const { json, sequence } of events) {
      if (sequence > to) return fold
      fold.apply(JSON.parse(json) as Event)
      cursor = sequence
    }
  }
  return fold
}

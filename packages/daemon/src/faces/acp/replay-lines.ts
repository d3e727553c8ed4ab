import type { Event } from "@sandbox-agent/schema/event"
import type { Item } from "@sandbox-agent/schema/item"
import { limits } from "@sandbox-agent/schema/limits"
import { Fold } from "../../core/fold.ts"
import { healed } from "../../core/refold.ts"
import type { Session } from "../../core/session.ts"
import type { StoredItem } from "../../store/acp-rows.ts"
import type { Acp } from "./acp.ts"
import { sessionOf } from "./attached-session.ts"
import type { Connection } from "./connection.ts"
import type { Line, Loaded } from "./entry.ts"
import { replay } from "./projection/replay.ts"
import { sourcesOf } from "./sources.ts"

/** Items read at once: each may be of some megabytes, and a reader that stalls has them in memory. */
const STEP = 4

/**
 * The history of a session up to the moment it was loaded, the same whenever it is told: a client that was cut off in
 * the middle goes on where it was.
 */
export function* replayLines(acp: Acp, connection: Connection, entry: Loaded, pos: number): Generator<Line[]> {
  const { uid, seq } = entry.load
  const session = sessionOf(acp, { uid, session: entry.to })
  if (session === undefined) return
  const sources = sourcesOf(acp, session)
  let fold: Fold | undefined
  let lines: Line[] = []
  let size = 0
  let k = 0
  for (let cursor = 0; ; ) {
    const from = cursor
    const rows = healed(session, () => acp.rows.items(uid, from, seq, STEP))
    const last = rows.at(-1)
    if (last === undefined) break
    cursor = last.startedSeq
    const items = rows.map((row) => {
      if (isDone(row, seq)) return row.item
      fold ??= foldOf(acp, session, row.startedSeq, seq)
      return { ...row.item, status: "in_progress" as const, content: contentOf(fold, row.item) }
    })
    for (const envelope of replay(items, connection.traits, entry.to, sources)) {
      const json = JSON.stringify(envelope)
      size += json.length
      lines.push({ pos, k: k++, json })
    }
    if (size < limits.readerPageBytes) continue
    yield lines
    lines = []
    size = 0
  }
  if (lines.length > 0) yield lines
}

const isDone = ({ completedSeq }: StoredItem, seq: number): boolean => completedSeq !== null && completedSeq <= seq

const contentOf = (fold: Fold, item: Item): Item["content"] => fold.items.get(item.item_id)?.item.content ?? []

/** Items that were open then, with the text they had. */
function foldOf(acp: Acp, s: Session, from: number, to: number): Fold {
  const fold = new Fold()
  const { reader } = acp.services.context
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

import type { Event } from "@sandbox-agent/schema/event"
import { isBroken, isCorrupt } from "../store/damage.ts"
import { deleteUnreadableRows, readableIds } from "../store/readable-rows.ts"
import { Fold } from "./fold.ts"
import type { Hole } from "./lost-events.ts"
import type { Session } from "./session.ts"

/** Reads rows of a session that are a copy of its log; those that turn out to be damaged are made again of it. */
export function withRepair<T>(s: Session, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!isCorrupt(error) || isBroken(error)) throw error
    const { holes: _, ...made } = refold(s)
    s.context.log("error", "damaged rows of a session were made again of its log", { session: s.record.id, ...made })
    return read()
  }
}

/** Items, turns and requests that are in the log and in no readable row. */
export function refold(s: Session): { items: number; turns: number; requests: number; holes: Hole[] } {
  const { store, rows } = s.context
  const { uid } = s.record
  store.flush()
  const { fold, endedAt, holes } = foldOf(s)
  const sound = readableIds(store.db, uid)
  const open = new Set([...s.items.values()].map(({ item }) => item.item_id))
  const items = [...fold.items].filter(([id]) => !sound.items.has(id) && !open.has(id))
  const turns = [...fold.turns].filter(([id]) => !sound.turns.has(id) && id !== s.turn?.id)
  const requests = [...fold.requests].filter(([id]) => !sound.requests.has(id) && !s.requests.has(id))
  store.write(() => {
    for (const [, { startedSeq, completedSeq, item }] of items) rows.saveItem(uid, startedSeq, completedSeq, item)
    for (const [id, { startedSeq, endedSeq, started, ended }] of turns) {
      const doc = { origin: started.origin, message_ids: ended?.message_ids ?? started.message_ids }
      const stopped = ended === undefined ? {} : { stop_reason: ended.stop_reason }
      rows.saveTurn(uid, { id, startedSeq, endedSeq, endedAt: endedAt.get(id), doc: { ...doc, ...stopped } })
    }
    for (const [id, doc] of requests) {
      const kind = "permission_id" in doc ? "permission" : "question"
      rows.saveRequest(uid, { id, kind, open: doc.status === "requested", doc })
    }
    // What the log does not tell any more cannot be made again.
    deleteUnreadableRows(store.db, uid)
  })
  store.flush()
  return { items: items.length, turns: turns.length, requests: requests.length, holes }
}

function foldOf(s: Session): { fold: Fold; endedAt: Map<string, number>; holes: Hole[] } {
  const { reader } = s.context
  const fold = new Fold()
  const endedAt = new Map<string, number>()
  const holes: Hole[] = []
  for (let cursor = s.log.first - 1; cursor < s.log.last; ) {
    const events = reader.readable(s.log, cursor, 1_000)
    if (events.length === 0) {
      holes.push([cursor + 1, s.log.last])
      break
    }
    for (const { json, sequence } of events) {
      if (sequence > cursor + 1) holes.push([cursor + 1, sequence - 1])
      const event = JSON.parse(json) as Event
      fold.apply(event)
      if (event.type === "turn.ended") endedAt.set(event.data.turn_id, Date.parse(event.time))
      cursor = sequence
    }
  }
  return { fold, endedAt, holes }
}

import { Fold } from "../transcript/fold.ts"
import type { Event, EventOf, Item, RestoreSessionRequest } from "../types.ts"
import { storeLimits } from "./limits.ts"
import type { SessionRef, SessionStore, StoredSession } from "./session-store.ts"

/** What a stored log tells of its session. */
export interface StoredPast {
  told: Required<Pick<RestoreSessionRequest, "items" | "decisions">> & Pick<RestoreSessionRequest, "plan" | "error">
  /** All that is stored; else its end, and the first message. */
  isWhole: boolean
  /** Newer than what the daemon told of the session. */
  updates: EventOf<"session.updated">["data"][]
  nativeSessionId?: string
  /** The last event of a turn. */
  saidUntil: number
}

type Kept = EventOf<"permission.resolved"> | EventOf<"question.resolved"> | EventOf<"session.updated">

/** From the end back, as far as it fits; and the first message, which says what all of it is about. */
export async function pastOf(store: SessionStore, session: StoredSession): Promise<StoredPast> {
  const { sandbox, id, createdAt, info, lastSequence } = session
  const ref = { sandbox, id, createdAt }
  const fold = new Fold()
  const kept: Kept[] = []
  let lastTurn: TurnEvent | undefined
  let nativeSessionId: string | undefined
  let saidUntil = 0
  let chars = 0
  let from = lastSequence
  while (from > 0 && chars < storeLimits.restoredChars && fold.items.length < storeLimits.restoredItems) {
    const before = Math.max(0, from - storeLimits.mostPage)
    const page = (await store.events(ref, { offset: before, limit: from - before })).events
    const events = page.filter(({ sequence }) => sequence <= from)
    const older = new Fold()
    for (const event of events) older.apply(event)
    fold.prepend(older)
    kept.unshift(...events.filter(isKept))
    saidUntil ||= events.filter(isSaid).at(-1)?.sequence ?? 0
    lastTurn ??= events.filter(isTurn).at(-1)
    nativeSessionId ??= events.at(-1)?.native_session_id
    chars += events.reduce((sum, event) => sum + lengthOf(event), 0)
    from = before
  }
  fold.begin()
  const last = newest(fold.items)
  const isWhole = from === 0 && last.length === fold.items.length
  const first = isWhole ? [] : await firstMessage(store, ref, last)
  const decided = kept.flatMap((event) => (event.type === "session.updated" ? [] : [event.data]))
  const updates = kept.filter((event) => event.type === "session.updated")
  return {
    told: {
      items: [...first, ...last],
      decisions: decided.slice(-storeLimits.restoredDecisions),
      plan: fold.plan?.slice(),
      error: failureOf(lastTurn),
    },
    isWhole,
    updates: updates.filter(({ sequence }) => sequence > info.lastSequence).map(({ data }) => data),
    saidUntil,
    nativeSessionId: nativeSessionId ?? info.nativeSessionId,
  }
}

type TurnEvent = EventOf<"turn.started"> | EventOf<"turn.ended">

const isTurn = (event: Event): event is TurnEvent => event.type === "turn.started" || event.type === "turn.ended"

/** A turn whose end nobody stored was cut off with its daemon. */
function failureOf(turn: TurnEvent | undefined): RestoreSessionRequest["error"] {
  if (turn?.type !== "turn.started") return turn?.data.error
  return { code: "daemon_restarted", message: "the turn had not ended in the log that the session was restored from" }
}

/** Deltas are told by the items they add up to. */
const lengthOf = (event: Event): number => (event.type === "item.completed" ? JSON.stringify(event).length : 0)

const isSaid = ({ type }: Event): boolean => type.startsWith("item.") || type.startsWith("turn.")

const isKept = (event: Event): event is Kept =>
  event.type === "permission.resolved" || event.type === "question.resolved" || event.type === "session.updated"

/** As many as fit, one left free for the first message. A page may have more. */
function newest(items: readonly Item[]): Item[] {
  let left = storeLimits.restoredChars
  let at = items.length
  while (at > 0 && items.length - at < storeLimits.restoredItems - 1) {
    left -= JSON.stringify(items[at - 1]).length
    if (left < 0) break
    at--
  }
  return items.slice(at)
}

async function firstMessage(store: SessionStore, ref: SessionRef, known: readonly Item[]): Promise<Item[]> {
  const { events } = await store.events(ref, { offset: 0, limit: storeLimits.mostPage })
  for (const event of events) {
    if (event.type !== "item.completed" || event.data.item.kind !== "message" || event.data.item.role !== "user")
      continue
    const { item } = event.data
    return known.some(({ item_id }) => item_id === item.item_id) ? [] : newest([item])
  }
  return []
}

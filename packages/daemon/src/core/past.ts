import type { Event, PlanEntry } from "@sandbox-agent/schema/event"
import { limits } from "@sandbox-agent/schema/limits"
import { cutMiddle } from "./bounds.ts"
import { briefBytes, briefOf, type Past } from "./brief.ts"
import { decisionText } from "./decisions.ts"
import { withRepair } from "./refold.ts"
import type { Session } from "./session.ts"

/** What a forked session knows of the one before it that stands in no item. */
export interface Inherited {
  systemPrompt?: string
  decisions: string[]
}

/** Whether anything was said in this session that an agent would have to remember. */
export function hasPast(s: Session): boolean {
  s.context.store.flush()
  return withRepair(s, () => s.context.rows.firstMessage(s.record.uid)) !== undefined
}

/** The brief for an agent that does not remember this session. */
export const briefFor = (s: Session): string => briefOf(pastOf(s), briefBytes(s.record.usage?.context_size))

function pastOf(s: Session): Past {
  const { store, rows } = s.context
  const { uid } = s.record
  store.flush()
  withRepair(s, () => rows.items(uid))
  const { systemPrompt, decisions } = decidedIn(s)
  return {
    systemPrompt,
    plan: planOf(s),
    decisions,
    items: rows.itemsBackwards(uid),
    first: rows.firstMessage(uid, "user"),
  }
}

/** The system prompt in force, and the last decisions; for a fork to inherit, those up to a place in the log. */
export function decidedIn(s: Session, until = Number.POSITIVE_INFINITY): Inherited {
  const { rows } = s.context
  const { uid, inherited, systemPrompt } = s.record
  const before = inherited === undefined ? undefined : rows.blob(uid, inherited)
  const known: Inherited = before === undefined ? { decisions: [] } : JSON.parse(Buffer.from(before.bytes).toString())
  const turns = until === Number.POSITIVE_INFINITY ? undefined : turnsUntil(s, until)
  const decided = rows
    .lastDecided(uid, limits.briefDecisions)
    .filter(({ doc }) => turns === undefined || turns.has(doc.turn_id ?? ""))
    .map(({ doc }) => cutMiddle(decisionText(doc), limits.briefDecisionChars))
    .reverse()
  return {
    systemPrompt: systemPrompt ?? known.systemPrompt,
    decisions: [...known.decisions, ...decided].slice(-limits.briefDecisions),
  }
}

const turnsUntil = (s: Session, until: number): Set<string> =>
  new Set(
    s.context.rows
      .turns(s.record.uid)
      .filter(({ endedSeq = Number.POSITIVE_INFINITY }) => endedSeq <= until)
      .map(({ id }) => id),
  )

/** The last one; retention may have removed it. */
export function planOf(s: Session, until = Number.POSITIVE_INFINITY): PlanEntry[] | undefined {
  const sequence = s.record.told?.plan
  if (sequence === undefined || sequence > until) return undefined
  const [found] = s.context.reader.readable(s.log, sequence - 1, 1)
  if (found?.sequence !== sequence) return undefined
  const event = JSON.parse(found.json) as Event
  return event.type === "plan.updated" ? event.data.entries : undefined
}

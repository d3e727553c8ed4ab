import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { CreateSession, ForkSession } from "@sandbox-agent/schema/session"
import type { TurnRow } from "../store/row-types.ts"
import { type Created, createSession } from "./creation.ts"
import type { Driver } from "./driver.ts"
import { inherit } from "./inherit.ts"
import { wholeItem } from "./items.ts"
import { decidedIn, planOf } from "./past.ts"
import { withRepair } from "./refold.ts"
import { strictestOf } from "./rights.ts"
import type { Session } from "./session.ts"
import type { Sessions } from "./sessions.ts"

export type Forked = Created & { forkedAtSequence: number }

/**
 * A session that begins where another stands: in the agent's own copy of it, or, with `agent`, in a new conversation of
 * that agent with a brief of the old one. Its log begins with the items so far, so that it stands alone.
 */
export async function forkSession(sessions: Sessions, s: Session, fork: ForkSession): Promise<Forked> {
  const { id, atSequence, ...given } = fork
  s.assertWritable(true)
  sessions.assertFree(id)
  s.context.store.flush() // a turn that ended just now counts
  if (atSequence !== undefined && atSequence > s.log.last)
    throw new SandboxAgentError("invalid_request", `atSequence: beyond the end of the log`, {
      lastSequence: s.log.last,
    })
  const point = forkPointIn(s, atSequence)
  const body = bodyOf(s, given)
  const created = await createSession(sessions, id, body, () => {
    if (s.deleted) throw deletedMeanwhile(s)
    const openFrom = given.agent === undefined ? nativeFork(s, point) : briefed(s)
    return (child) => begin(child, s, point.sequence, openFrom)
  })
  return { ...created, forkedAtSequence: point.sequence }
}

const deletedMeanwhile = ({ record: { id } }: Session): SandboxAgentError =>
  new SandboxAgentError("session_not_found", `session ${id} was deleted while it was forked`, { sessionId: id })

/** A point between two turns. */
interface ForkPoint {
  sequence: number
  /** The turn that ended there; none in what the session itself was forked from or adopted with. */
  turn?: TurnRow
}

/** The last turn that had ended there; before any, what the session began with. */
function forkPointIn(s: Session, atSequence = s.log.last): ForkPoint {
  const { rows } = s.context
  const turn = rows.lastTurnEnd(s.record.uid, atSequence)
  if (turn?.endedSeq !== undefined) return { sequence: turn.endedSeq, turn }
  const replayed = rows.lastReplayed(s.record.uid, atSequence)
  if (replayed === undefined)
    throw new SandboxAgentError("conflict", "there is no finished turn to fork from", { sessionId: s.record.id })
  return { sequence: replayed }
}

type OpenFrom = NonNullable<Session["record"]["openFrom"]>

const briefed = ({ record }: Session): OpenFrom => ({
  kind: "brief",
  reason: `forked from session ${record.id} of agent ${record.agent}`,
})

/** The agent's own fork, where it remembers the session at that point. */
function nativeFork(s: Session, { turn, sequence }: ForkPoint): OpenFrom {
  const { driver, record } = s
  if (!driver?.capabilities.fork)
    throw new SandboxAgentError(
      "not_supported",
      `agent ${record.agent} cannot fork a session; with agent the fork begins with a brief of it`,
    )
  assertForksAt(s, driver, turn)
  // What came before its native session was rebuilt it knows from a brief, and so does the fork.
  if (!record.native.durable || sequence < (record.rebuiltAt ?? 0)) return briefed(s)
  return { kind: "fork", ref: { ...record.native }, at: turn?.nativeRef }
}

function assertForksAt(s: Session, driver: Driver, turn: TurnRow | undefined): void {
  const { record, context } = s
  if (turn === undefined)
    throw new SandboxAgentError("conflict", "there is no finished turn to fork from", { sessionId: record.id })
  const head = context.rows.lastTurnEnd(record.uid, s.log.last)
  if (driver.forksAt === "turn" || (s.turn === undefined && turn.id === head?.id)) return
  throw new SandboxAgentError(
    "not_supported",
    `agent ${record.agent} forks only at the end of its last turn, while none runs; with agent the fork begins with a brief`,
  )
}

/** What the parent was made with, under what is given; of another agent its modes, models and environment mean nothing. */
function bodyOf(s: Session, given: Omit<ForkSession, "id" | "atSequence">): CreateSession {
  const { agent, pinnedVersion, directory, title, systemPrompt, skills, deferred = {} } = s.record
  // As it was asked for last, also where the parent has it only from its next turn on.
  const { agentMode, model, variant } = { ...s.record, ...(deferred.model && { variant: undefined }), ...deferred }
  const permissionMode = strictestOf(s)
  // All that a client said of a session is true of its fork, except how it wanted this one called.
  const { requestedSessionId: _, ...metadata } = s.record.metadata
  const shared = { directory, title, metadata, permissionMode, mcp: s.secrets.mcp, skills }
  if (given.agent !== undefined && given.agent !== agent) return { agent: given.agent, ...shared, ...known(given) }
  const agentOptions = { agentVersion: pinnedVersion, agentMode, model, systemPrompt, env: s.secrets.env }
  // A variant is one of its model.
  const tuned = given.model === undefined ? { variant } : {}
  return { agent, ...shared, ...agentOptions, ...tuned, ...known(given) }
}

const known = <T extends object>(given: T): Partial<T> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<T>

function begin(child: Session, s: Session, until: number, openFrom: OpenFrom): void {
  const { rows, store } = s.context
  store.flush()
  child.record.openFrom = openFrom
  child.record.briefDue = s.record.briefDue
  child.append("session.started", { metadata: child.record.metadata, forked_from: s.record.id }, "daemon")
  store.write(() => rows.shareBlobs(s.record.uid, child.record.uid))
  inherit(child, decidedIn(s, until), planOf(s, until))
  const ids = new Map<string, string>() // the child's items hang on each other as the parent's did
  for (const row of withRepair(s, () => rows.items(s.record.uid))) {
    if (row.completedSeq === null || row.completedSeq > until) continue
    const { item_id, status, turn_id: _, parent_id, message_id: __, ...item } = JSON.parse(row.json)
    ids.set(item_id, wholeItem(child, { ...item, parent_id: ids.get(parent_id) }, status, "daemon", true))
  }
}

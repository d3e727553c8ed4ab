import { acpLimits } from "@sandbox-agent/schema/acp-limits"
import type { Event } from "@sandbox-agent/schema/event"
import { pendingOf } from "../../core/requests.ts"
import type { Session } from "../../core/session.ts"
import type { Acp } from "./acp.ts"
import { sessionOf } from "./attached-session.ts"
import type { Connection } from "./connection.ts"
import { passthroughRequest } from "./passthrough-requests.ts"
import { extensionNotifications } from "./projection/capabilities.ts"
import { type Envelope, notification } from "./projection/envelope.ts"
import { project } from "./projection/updates.ts"
import { sourcesOf } from "./sources.ts"
import { ToldLog } from "./told-log.ts"

/**
 * From now on the connection gets the events of a session. Call it in the same moment as `fence()`: what follows
 * in the connection's own log then stands before every event to come.
 */
export function attach(connection: Connection, s: Session): void {
  const { uid, id } = s.record
  s.leftAlone = false
  if (connection.attached(id)?.uid === uid) return
  const last = connection.attachments.findLast((row) => row.uid === uid)
  // Nothing happened since it was detached: as if it had never been.
  if (last?.toSeq === s.log.last) connection.saveAttachment(last, { toSeq: null })
  else connection.saveAttachment({ uid, session: id, fromSeq: s.log.last, toSeq: null })
  connection.log.wake() // open streams take it up
}

/** No event of the session after this moment; what came before can still be replayed. */
export function detach(connection: Connection, s: Session): void {
  connection.fence()
  for (const row of connection.attachments)
    if (row.uid === s.record.uid && row.toSeq === null) connection.saveAttachment(row, { toSeq: s.log.last })
  connection.forgetSpans()
}

/** The history is sent at this place of the connection's log. */
export const sendHistory = (connection: Connection, s: Session): number =>
  connection.say({ to: s.record.id, load: { uid: s.record.uid, seq: s.log.last } })

/** The history of a session whose agent speaks ACP is its log, with the state that no item has. */
const isInHistory = (s: Session, sequence: number): boolean => s.driver?.protocol === "acp" && sequence >= s.log.first

/**
 * The current state: plan, usage and commands. Behind a history only what that does not tell. Returns the place of the last
 * message.
 */
export function sendState(
  acp: Acp,
  connection: Connection,
  s: Session,
  behind: "history" | "nothing",
): number | undefined {
  let last: number | undefined
  for (const sequence of Object.values(s.record.told ?? {})) {
    if (behind === "history" && isInHistory(s, sequence)) continue
    const said = saidAt(acp, connection, s, sequence)
    if (said !== undefined) {
      last = connection.say({ to: s.record.id, envelope: said })
      continue
    }
    const [found] = acp.services.reader.readable(s.log, sequence - 1, 1)
    // Retention may have taken it.
    if (found?.sequence === sequence) last = sendEvent(acp, connection, s, JSON.parse(found.json) as Event) ?? last
  }
  return last
}

/** What an agent that speaks ACP said itself, where it is kept and not too long to be written down for each client. */
function saidAt(acp: Acp, connection: Connection, s: Session, sequence: number): object | undefined {
  if (!isInHistory(s, sequence)) return undefined
  const told = new ToldLog(acp, s, connection.traits, sequence).after(sequence - 1)
  const [first] = told?.messages ?? []
  if (first === undefined || first.json.length > acpLimits.stateChars) return undefined
  return JSON.parse(first.json) as object
}

/** Whoever attaches is asked what is still open. */
export function askAgain(acp: Acp, connection: Connection, s: Session): void {
  const { permissions, questions } = pendingOf(s)
  const asked = [
    ...permissions.map((data) => ({ id: data.permission_id, type: "permission.requested" as const, data })),
    ...questions.map((data) => ({ id: data.question_id, type: "question.requested" as const, data })),
  ]
  for (const { id, ...event } of asked) {
    const open = s.requests.get(id)
    const passthrough = open && passthroughRequest(open, s.record.id, connection.traits)
    if (passthrough !== undefined) connection.say({ to: s.record.id, envelope: passthrough })
    else sendEvent(acp, connection, s, { ...envelope(s), ...event })
  }
}

/** What happened before the client could know the session is sent again once it does. Call it as `attach`, in the same moment. */
export function sendFirstState(acp: Acp, connection: Connection, s: Session): void {
  const events = acp.services.reader.readable(s.log, 0, s.log.last).map(({ json }) => JSON.parse(json) as Event)
  const items = events.filter(({ type }) => type === "item.started" || type === "item.completed")
  // Said while it was opened. One with a past of its own is told that by `session/load` alone.
  const hasHistory = items.length > 0 && !items.some(({ replayed }) => replayed)
  if (hasHistory) sendHistory(connection, s)
  for (const event of events) {
    // Notices are in no history.
    const isNotice = event.type === "error" && connection.traits.notices
    if (hasHistory && !isNotice && isInHistory(s, event.sequence)) continue
    // Replayed items are history, which only `session/load` tells.
    if (event.type === "session.updated" || event.type === "plan.updated" || event.type === "error")
      sendEvent(acp, connection, s, event)
  }
}

function sendEvent(acp: Acp, connection: Connection, s: Session, event: Event): number | undefined {
  const envelopes = project(event, undefined, connection.traits, sourcesOf(acp, s))
  return envelopes.map((envelope) => connection.say({ to: s.record.id, envelope })).at(-1)
}

const envelope = (s: Session) => ({
  event_id: "",
  sequence: s.log.last,
  time: s.record.updatedAt,
  session_id: s.record.id,
  source: "daemon" as const,
  synthetic: true,
})

/** A client that was away learns of sessions that were deleted meanwhile: their logs can no longer tell it. */
export function sendDeletedNotices(acp: Acp, connection: Connection): void {
  for (const row of [...connection.attachments]) {
    if (sessionOf(acp, row) !== undefined) continue
    connection.dropAttachments(row.uid)
    if (row.toSeq !== null) continue
    const params = { sessionId: row.session, reason: "terminated", terminatedBy: "daemon", message: "deleted" }
    const notice: Envelope = notification(extensionNotifications.sessionEnded, params)
    connection.say({ to: row.session, envelope: notice })
  }
}

import type { Stderr } from "@sandbox-agent/schema/error"
import type { Event, EventData } from "@sandbox-agent/schema/event"
import { type Envelope, notification } from "../envelope.ts"
import type { ItemHead } from "../head.ts"
import type { Sources } from "../sources.ts"
import type { Traits } from "../traits.ts"
import { itemCompleted, itemDelta, itemStarted } from "./item.ts"
import { errorNotice } from "./notice.ts"
import { permissionRequested, permissionResolved } from "./permission.ts"
import { questionRequested, questionResolved } from "./question.ts"
import { note, type Scope } from "./scope.ts"
import { planUpdated, sessionUpdated, usageUpdated } from "./session-state.ts"

export function projectEvent(event: Event, head: ItemHead | undefined, traits: Traits, sources: Sources): Envelope[] {
  const scope: Scope = { sessionId: event.session_id, traits, sources }
  switch (event.type) {
    case "item.started":
      return itemStarted(event.data.item, scope)
    case "item.delta":
      return itemDelta(event.data, head, scope)
    case "item.completed":
      return itemCompleted(event.data.item, scope, event.replayed === true)
    case "permission.requested":
      return permissionRequested(event.data, scope)
    case "permission.resolved":
      return permissionResolved(event.data, scope)
    case "question.requested":
      return questionRequested(event.data, scope)
    case "question.resolved":
      return questionResolved(event.data, scope)
    case "plan.updated":
      return [planUpdated(event.data, scope)]
    case "usage.updated":
      return [usageUpdated(event.data, scope)]
    case "session.updated":
      return sessionUpdated(event.data, event.time, scope)
    case "session.ended":
      return [notification("_sandboxagent/session/ended", ended(event.session_id, event.data))]
    case "agent.unparsed": {
      const { error, location, raw_hash: rawHash } = event.data
      const raw = typeof event.raw === "string" ? event.raw : undefined
      return [
        notification("_sandboxagent/agent/unparsed", { sessionId: event.session_id, error, location, rawHash, raw }),
      ]
    }
    case "error":
      return [errorNotice(event.data, scope)]
    case "turn.ended":
      return turnEnded(event.data, scope)
    // The answer to a prompt tells of its turn and its message; a line without universal meaning has no projection.
    case "session.started":
    case "message.updated":
    case "turn.started":
    case "agent.native":
      return []
  }
}

/** Who sent the prompt gets the error as its answer; whoever else watches the session learns of it here. */
function turnEnded({ turn_id: id, stop_reason: stopReason, error }: EventData<"turn.ended">, scope: Scope): Envelope[] {
  if (error === undefined) return []
  const { code, message } = error
  return [note(scope, { turn: { id, stopReason, error: { code, message } } })]
}

function ended(sessionId: string, data: EventData<"session.ended">): object {
  const { reason, terminated_by: terminatedBy, message, exit_code: exitCode, stderr } = data
  return { sessionId, reason, terminatedBy, message, exitCode, stderr: stderr && stderrOf(stderr) }
}

const stderrOf = ({ head, tail, truncated, total_lines: totalLines }: Stderr): object => ({
  head,
  tail,
  truncated,
  totalLines,
})

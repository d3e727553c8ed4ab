import type { AgentError } from "@sandbox-agent/schema/error"
import type { TurnError } from "@sandbox-agent/schema/event"
import type { Session as SessionView } from "@sandbox-agent/schema/session"
import { positionOf } from "./messages.ts"
import type { Session } from "./session.ts"

/** A session as the API shows it. Secrets are not in it by construction. */
export function viewOf(s: Session): SessionView {
  const r = s.record
  let permissions = 0
  for (const { native } of s.requests.values()) if (native.type === "permission") permissions++
  return {
    id: r.id,
    agent: r.agent,
    agentVersion: r.agentVersion,
    agentMode: r.agentMode,
    permissionMode: r.permissionMode,
    model: r.model,
    variant: r.variant,
    directory: r.directory,
    title: r.title,
    nativeSessionId: r.native.id,
    status: r.status,
    agentProcess: s.process,
    background: r.background,
    queue: s.queue.map((m) => ({
      messageId: m.id,
      turnId: m.turnId,
      position: positionOf(s, m.id),
      delivery: m.delivery,
    })),
    pending: { permissions, questions: s.requests.size - permissions },
    firstSequence: s.log.first,
    lastSequence: s.log.last,
    usage: r.usage,
    createdAt: r.createdAt,
    updatedAt: r.updatedAt,
    endedAt: r.endedAt,
    error: r.error ?? (r.turnError && agentErrorOf(r.turnError, r.agent, r.id)),
    metadata: r.metadata,
  }
}

function agentErrorOf({ exit_code: exitCode, ...error }: TurnError, agent: string, sessionId: string): AgentError {
  return { ...error, agent, sessionId, ...(exitCode !== undefined && { exitCode }) }
}

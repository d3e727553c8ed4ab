import type { Event, EventOf, Permission, Question, SessionInfo, SessionStatus, TurnFailure } from "../types.ts"

export interface LiveState {
  session: SessionInfo
  permissions: readonly Permission[]
  questions: readonly Question[]
}

/** What an event changes beside items. What it does not change is the same object as before. */
export function advanced(state: LiveState, event: Event): LiveState {
  switch (event.type) {
    case "session.updated":
      return { ...state, session: updated(state.session, event) }
    case "session.started":
      return event.data.resumed ? withStatus(state, "starting", { endedAt: undefined }) : state
    // That a turn begins or ends says by itself what the session does.
    case "turn.started":
      return withStatus(state, state.permissions.length + state.questions.length > 0 ? "waiting" : "running", {
        error: undefined,
      })
    case "turn.ended":
      return withStatus(state, "idle", { error: event.data.error && errorOf(event.data.error, state.session) })
    case "session.ended":
      return withStatus(state, "ended", { endedAt: event.time })
    case "usage.updated":
      return { ...state, session: { ...state.session, usage: event.data } }
    case "message.updated":
      return { ...state, session: { ...state.session, queue: queue(state.session.queue, event.data) } }
    case "permission.requested":
    case "permission.resolved": {
      const others = state.permissions.filter(({ permission_id: id }) => id !== event.data.permission_id)
      return { ...state, permissions: event.data.status === "requested" ? [...others, event.data] : others }
    }
    case "question.requested":
    case "question.resolved": {
      const others = state.questions.filter(({ question_id: id }) => id !== event.data.question_id)
      return { ...state, questions: event.data.status === "requested" ? [...others, event.data] : others }
    }
    default:
      return state
  }
}

const withStatus = (state: LiveState, status: SessionStatus, more?: Partial<SessionInfo>): LiveState => ({
  ...state,
  session: { ...state.session, status, ...more },
})

/** As the daemon tells it of a session whose last turn failed. */
function errorOf(failed: TurnFailure, { agent, id }: SessionInfo): SessionInfo["error"] {
  const { exit_code: exitCode, ...error } = failed
  return { ...error, agent, sessionId: id, ...(exitCode !== undefined && { exitCode }) }
}

function updated(session: SessionInfo, { data, time }: EventOf<"session.updated">): SessionInfo {
  const changes: Partial<SessionInfo> = {
    title: data.title,
    agentMode: data.agent_mode,
    permissionMode: data.permission_mode,
    model: data.model,
    variant: data.variant,
    status: data.status,
    nativeSessionId: data.native_session_id,
    agentProcess: data.agent_process,
    background: data.background,
    metadata: data.metadata,
  }
  const known = Object.entries(changes).filter(([, value]) => value !== undefined)
  return { ...session, ...Object.fromEntries(known), updatedAt: time }
}

function queue(queued: SessionInfo["queue"], message: EventOf<"message.updated">["data"]): SessionInfo["queue"] {
  const { message_id: messageId, turn_id: turnId = "", delivery, position = queued.length, state } = message
  const others = queued.filter((one) => one.messageId !== messageId)
  return state === "queued" ? [...others, { messageId, turnId, position, delivery }] : others
}

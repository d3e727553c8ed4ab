import type { Usage } from "@sandbox-agent/schema/event"
import type { MessageRow } from "../store/row-types.ts"
import { applyDeferred } from "./applied-settings.ts"
import { userContent } from "./attachments.ts"
import { wholeItem } from "./items.ts"
import { finish } from "./messages.ts"
import type { Session, Turn, TurnEnd } from "./session.ts"
import { settle } from "./settle.ts"

/** Starts a turn: a span of agent activity, one at a time. */
export function startTurn(
  s: Session,
  id: string,
  origin: Turn["origin"],
  messageIds: string[],
  source?: "daemon",
): Turn {
  s.doneKeys.clear()
  applyDeferred(s, "next_turn")
  const startedSeq = s.append(
    "turn.started",
    { phase: "started", turn_id: id, origin, message_ids: messageIds },
    source,
  )
  const turn: Turn = {
    id,
    origin,
    messageIds: [...messageIds],
    startedSeq,
    cancelling: false,
    nativeStarted: false,
    ended: Promise.withResolvers(),
  }
  s.turn = turn
  s.record.turnError = undefined
  const doc = { origin, message_ids: [...messageIds] }
  s.saveRow("turn", id, (rows, uid) => rows.saveTurn(uid, { id, startedSeq, doc }))
  s.setStatus(s.requests.size > 0 ? "waiting" : "running", false)
  return turn
}

/** The driver reports a native start. */
export function nativeTurnStarted(s: Session, origin: Turn["origin"], native?: string): void {
  s.spoken = true
  if (s.turn !== undefined) {
    s.turn.nativeRef = native ?? s.turn.nativeRef
    // While our message is not yet taken, a start of the agent's own is the same span.
    if (s.sending === undefined && s.turn.nativeStarted) s.fault("turns_overlap", s.turn.id)
    s.turn.nativeStarted = true
    return
  }
  // A steered message that was not folded into the turn before: its forecast turn is over, this one is its own.
  const steered = s.sending
  const id = s.context.ids.next("turn")
  const turn = steered ? startTurn(s, id, "message", [steered.id]) : startTurn(s, id, origin, [])
  turn.nativeRef = native
  turn.nativeStarted = true
}

/** The driver reports that a `send` now would be taken. */
export function nativeTurnEnded(s: Session, end: TurnEnd, native?: string): void {
  const { turn } = s
  if (turn === undefined) return s.fault("turn_ended_unstarted", end.stop)
  const ours = s.sending !== undefined && turn.messageIds.includes(s.sending.id)
  // The end of a span the agent began by itself, while our message still waits to be taken: the turn goes on.
  if (ours && end.stop === "end_turn") {
    turn.nativeStarted = false
    return
  }
  turn.nativeRef = native ?? turn.nativeRef
  for (const { turnId, native: asked } of s.requests.values())
    if (turnId === turn.id) s.fault("request_left_open", asked.key)
  endTurn(s, end)
}

/** Ends the running turn and lets the next message go. */
export function endTurn(s: Session, end: TurnEnd, lost = false): void {
  s.mcpStderr?.bound().catch((error: unknown) =>
    s.context.log("warn", "what MCP servers say could not be bounded", {
      session: s.record.id,
      error: String(error),
    }),
  )
  if (end.error !== undefined)
    s.context.log("warn", "turn failed", { session: s.record.id, agent: s.record.agent, ...end.error })
  // A message that was refused takes nothing from an agent that lives; of one that is gone nothing more comes.
  const scope = s.native === undefined ? "all" : "turn"
  settle(s, { scope, reason: end.stop === "cancelled" ? "cancelled" : "lost", end, lost })
  s.context.advance(s)
}

export function addUsage(s: Session, more: Partial<Usage>): void {
  const { context_used, context_size, ...counts } = more
  const sum = (into: Usage | undefined): Usage => {
    const total: Usage = { ...(into ?? { input_tokens: 0, output_tokens: 0 }) }
    for (const [key, value] of Object.entries(counts) as [keyof typeof counts, number | undefined][])
      if (value !== undefined) total[key] = (total[key] ?? 0) + value
    return total
  }
  s.record.usage = sum(s.record.usage)
  if (context_used !== undefined) s.record.usage.context_used = context_used
  if (context_size !== undefined) s.record.usage.context_size = context_size
  if (s.turn !== undefined) s.turn.usage = sum(s.turn.usage)
  s.rememberSequence("usage", s.append("usage.updated", { ...s.record.usage }))
}

/** The agent has it: the user item stands where the model saw it. */
export function messageTaken(s: Session, id: string): void {
  const message = s.sending
  if (message === undefined || message.id !== id) return s.fault("taken_unsent", id)
  // An agent that answers at once would wait for the commit of this before its first words can have theirs.
  s.context.store.deferred(() => take(s, message))
}

function take(s: Session, message: MessageRow): void {
  const { id } = message
  s.sending = undefined
  s.spoken = true
  const turn = s.turn ?? startTurn(s, s.context.ids.next("turn"), "message", [id])
  message.turnId = turn.id
  if (!turn.messageIds.includes(id)) turn.messageIds.push(id)
  turn.briefed ||= s.briefedBy === id
  wholeItem(
    s,
    { kind: "message", role: "user", turn_id: turn.id, message_id: id, content: userContent(message) },
    "completed",
  )
  finish(s, message, "taken")
}

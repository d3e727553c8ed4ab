import type { EventData } from "@sandbox-agent/schema/event"
import type { Item } from "@sandbox-agent/schema/item"
import { failItem, wholeItem } from "./items.ts"
import { failMessage, requeue } from "./messages.ts"
import { cancelRequest, statusFromRequests } from "./requests.ts"
import type { OpenItem, Session, Turn, TurnEnd } from "./session.ts"

export interface Settlement {
  /** `turn`: what belongs to the running turn; `all`: everything, when the agent is lost or the session ends. */
  scope: "turn" | "all"
  /** Why open items fail and requests are cancelled. */
  reason: string
  end: TurnEnd
  /** The agent is gone: a message in flight will never be taken. */
  lost: boolean
}

/**
 * The only clean-up path: turn end, cancel, loss of the agent, terminate, shutdown and recovery. In this order, in
 * one transaction: requests, items (children first), missing results, message in flight, the turn's end.
 */
export function settle(s: Session, { scope, reason, end, lost }: Settlement): void {
  const { turn } = s
  settleWork(s, scope, reason)
  if (lost && s.sending !== undefined)
    failMessage(
      s,
      s.sending,
      end.error ?? { code: "agent_process_exited", message: `not taken by the agent: ${reason}` },
    )
  if (turn !== undefined) {
    s.turn = undefined
    // Sent but never taken, and the agent lives: it was taken back by the end of its own turn.
    if (!lost && s.sending !== undefined && turn.messageIds.includes(s.sending.id))
      failMessage(
        s,
        s.sending,
        end.error ?? { code: "timeout", message: "the turn ended before the agent took the message" },
      )
    // Meant for this turn, and not on its way yet: it gets one of its own.
    for (const waiting of s.queue) if (waiting.turnId === turn.id) requeue(s, waiting)
    // In a turn that was lost, failed or cut nobody knows what the agent has kept: it is told again.
    if (turn.briefed && !lost && end.stop !== "error" && end.stop !== "cancelled") s.record.briefDue = undefined
    const endedSeq = s.append("turn.ended", turnEndedData(turn, end), lost || end.forced ? "daemon" : undefined)
    s.context.store.breakPage(s.log, endedSeq + 1)
    const row = {
      id: turn.id,
      startedSeq: turn.startedSeq,
      endedSeq,
      endedAt: s.context.clock.millis,
      rawLast: s.rawCount,
      nativeRef: turn.nativeRef,
      doc: { origin: turn.origin, message_ids: turn.messageIds, stop_reason: end.stop },
    }
    s.saveRow("turn", row.id, (rows, uid) => rows.saveTurn(uid, row))
    s.record.turnError = end.error
    s.context.store.saveLater(s)
    turn.ended.resolve()
  }
  if (s.requests.size > 0) statusFromRequests(s)
  else if (s.record.status === "running" || s.record.status === "waiting") s.setStatus("idle", turn === undefined)
}

/** Requests, items and calls: what nobody will answer or go on with. */
export function settleWork(s: Session, scope: Settlement["scope"], reason: string): void {
  const { turn } = s
  const belongs = (turnId: string | undefined) => scope === "all" || (turn !== undefined && turnId === turn.id)
  for (const request of [...s.requests.values()]) if (belongs(request.turnId)) cancelRequest(s, request, reason)
  for (const open of childrenFirst(s)) if (belongs(open.item.turn_id)) failItem(s, open, reason)
  for (const [callId, call] of s.calls) {
    if (!belongs(call.turnId) || (call.detached && scope === "turn")) continue
    s.calls.delete(callId)
    if (!call.answered) {
      const content: Item["content"] = [
        { type: "tool_result", call_id: callId, output: `no result: ${reason}`, is_error: true },
      ]
      const place = { parent_id: call.parentId, turn_id: turn?.id, late: turn === undefined || undefined }
      wholeItem(s, { kind: "tool_result", role: "tool", ...place, metadata: { reason }, content }, "failed", "daemon")
    }
  }
  s.doneKeys.clear()
}

function childrenFirst(s: Session): OpenItem[] {
  // Parents are always opened before their children.
  return [...s.items.values()].sort((a, b) => b.startedSeq - a.startedSeq)
}

function turnEndedData(turn: Turn, end: TurnEnd): EventData<"turn.ended"> {
  return {
    phase: "ended",
    turn_id: turn.id,
    message_ids: turn.messageIds,
    stop_reason: end.stop,
    error: end.error,
    forced: end.forced,
    usage: turn.usage,
    cost_usd: turn.usage?.cost_usd,
  }
}

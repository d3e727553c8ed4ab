import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { TurnError } from "@sandbox-agent/schema/event"
import type { MessageRow } from "../store/row-types.ts"
import type { Session } from "./session.ts"
import { tellQueue } from "./tell-lists.ts"

/** 0: in the running turn or next; n: so many in front. */
export function positionOf(s: Session, id: string): number {
  const index = s.queue.findIndex((m) => m.id === id)
  return index < 0 ? 0 : index + (s.turn === undefined ? 0 : 1)
}

/** A message by the id its client gave, whatever became of it. */
export function knownMessage(s: Session, id: string | undefined): MessageRow | undefined {
  if (id === undefined) return undefined
  s.context.store.flush() // a message that just became final is found by its id
  return s.context.rows.message(s.record.uid, id) ?? [s.sending, ...s.queue].find((m) => m?.id === id)
}

/** What became of a message, as far as it is on disk. */
export const messageState = (s: Session, id: string): MessageRow["state"] | undefined =>
  s.context.rows.message(s.record.uid, id)?.state

/** Where the turn of a message that is done with began, and by where its end was told; undefined for one that still waits or is on its way. */
export function pastOf(s: Session, id: string): { startedSeq: number; overBy: number | undefined } | undefined {
  const row = s.context.rows.message(s.record.uid, id)
  if (row === undefined || row.state === "queued" || row.state === "sending") return undefined
  const turn = s.context.rows.turns(s.record.uid).find((t) => t.id === row.turnId)
  return { startedSeq: turn?.startedSeq ?? 1, overBy: row.state === "taken" ? turn?.endedSeq : s.log.last }
}

export async function withdrawMessage(s: Session, id: string): Promise<void> {
  const index = s.queue.findIndex((m) => m.id === id)
  const message = s.queue[index]
  if (message === undefined) {
    s.context.store.flush() // one that became final just now is found, too
    const past = s.context.rows.message(s.record.uid, id) ?? (s.sending?.id === id ? s.sending : undefined)
    if (past === undefined) throw new SandboxAgentError("not_found", `session ${s.record.id} has no message ${id}`)
    throw new SandboxAgentError("conflict", `message ${id} is ${past.state}; only queued messages can be withdrawn`, {
      state: past.state,
    })
  }
  s.assertWritable()
  s.queue.splice(index, 1)
  finish(s, message, "withdrawn")
  tellQueue(s)
  await s.committed()
}

export function withdrawAll(s: Session): string[] {
  const all = s.queue.splice(0)
  for (const message of all) finish(s, message, "withdrawn")
  tellQueue(s)
  return all.map((message) => message.id)
}

/** The agent gives it back: in front of the queue, or withdrawn if its own turn was cancelled. */
export function messageReturned(s: Session, id: string): void {
  const message = s.sending
  if (message === undefined || message.id !== id) return s.fault("returned_unsent", id)
  s.sending = undefined
  const place = s.turn?.messageIds.indexOf(id) ?? -1
  if (s.turn?.cancelling && place >= 0) return finish(s, message, "withdrawn")
  if (place >= 0) s.turn?.messageIds.splice(place, 1) // another turn will take it
  // Also after a restart, which reads the queue in this order.
  const [first] = s.queue
  if (first !== undefined && message.ord > first.ord) message.ord = first.ord - 1
  s.queue.unshift(message)
  requeue(s, message)
  tellQueue(s)
}

/** It waits for a turn of its own; the one it was meant for is not it. */
export function requeue(s: Session, message: MessageRow): void {
  message.state = "queued"
  message.delivery = "queue"
  message.turnId = s.context.ids.next("turn")
  messageUpdated(s, message, { position: positionOf(s, message.id) })
}

/** Never sent again by us: the person decides. */
export function failMessage(s: Session, message: MessageRow, error: TurnError): void {
  if (s.sending === message) s.sending = undefined
  message.error = error
  finish(s, message, "failed")
}

export function finish(s: Session, message: MessageRow, state: "taken" | "withdrawn" | "failed"): void {
  message.state = state
  messageUpdated(s, message, state === "failed" ? { error: message.error } : {})
}

export function messageUpdated(s: Session, m: MessageRow, more: { position?: number; error?: TurnError }): void {
  const source = m.state === "taken" ? undefined : "daemon"
  s.append(
    "message.updated",
    { message_id: m.id, state: m.state, delivery: m.delivery, turn_id: m.turnId, ...more },
    source,
  )
  const row = { ...m }
  s.saveRow("message", row.id, (rows, uid) => rows.saveMessage(uid, row))
}

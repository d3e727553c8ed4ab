import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { TurnError } from "@sandbox-agent/schema/event"
import { limits } from "@sandbox-agent/schema/limits"
import type { PostedMessage, PostMessage } from "@sandbox-agent/schema/message"
import type { MessageRow, StoredAttachment } from "../store/rows.ts"
import { userContent } from "./attachments.ts"
import { NotSupported } from "./driver.ts"
import { wholeItem } from "./items.ts"
import { sendNext, steer } from "./send.ts"
import type { Session } from "./session.ts"
import { startTurn } from "./turns.ts"

/** Takes a message. The answer comes after it is on disk; what happens to it is told by `message.updated`. */
export async function postMessage(
  s: Session,
  post: PostMessage,
  attachments: StoredAttachment[],
): Promise<PostedMessage> {
  // Without a pause up to the queue: the same id posted twice at once is one message.
  const again = knownMessage(s, post.messageId)
  if (again !== undefined) return answerAgain(s, again)
  s.assertWritable()
  const delivery = post.delivery ?? "queue"
  if (delivery === "steer" && !s.driver?.capabilities.steer)
    throw new NotSupported(`agent ${s.record.agent} cannot be steered; send it with delivery "queue"`)
  if (s.queue.length >= limits.queuedMessages)
    throw new SandboxAgentError("too_many_requests", `${limits.queuedMessages} messages already wait in this session`, {
      sessionId: s.record.id,
      limit: limits.queuedMessages,
    })
  if (post.messageId !== undefined) s.context.ids.lift(post.messageId)
  const steering = delivery === "steer" && s.turn !== undefined && s.sending === undefined && !s.turn.cancelling
  const message: MessageRow = {
    id: post.messageId ?? s.context.ids.next("msg"),
    ord: ++s.messageOrd,
    state: "queued",
    delivery,
    turnId: steering && s.turn ? s.turn.id : s.context.ids.next("turn"),
    text: post.message,
    attachments,
  }
  const position = steering ? 0 : s.queue.length + (s.turn === undefined ? 0 : 1)
  s.queue.push(message)
  tell(s, message, { position })
  await s.committed()
  if (steering && s.queue.includes(message)) steer(s, message)
  dispatch(s)
  return { messageId: message.id, turnId: message.turnId, position }
}

/** The answer to a message whose id was used before. */
export async function postedBefore(s: Session, id: string | undefined): Promise<PostedMessage | undefined> {
  const known = knownMessage(s, id)
  return known && answerAgain(s, known)
}

function knownMessage(s: Session, id: string | undefined): MessageRow | undefined {
  if (id === undefined) return undefined
  s.context.store.flush() // a message that just became final is found by its id
  return s.context.rows.message(s.record.uid, id) ?? [s.sending, ...s.queue].find((m) => m?.id === id)
}

async function answerAgain(s: Session, known: MessageRow): Promise<PostedMessage> {
  await s.committed()
  return { messageId: known.id, turnId: known.turnId, position: positionOf(s, known.id) }
}

/** 0: in the running turn or next; n: so many in front. */
export function positionOf(s: Session, id: string): number {
  const index = s.queue.findIndex((m) => m.id === id)
  return index < 0 ? 0 : index + (s.turn === undefined ? 0 : 1)
}

/** Sends the head of the queue when the session is at rest. Called after every change that may have made it so. */
export function dispatch(s: Session): void {
  const { context } = s
  if (s.turn !== undefined || s.sending !== undefined || s.deleted || context.stopping || context.store.failing) return
  if (s.record.status !== "idle" && s.record.status !== "waiting") return
  const message = s.queue.shift()
  if (message === undefined) return
  sendNext(s, message)
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
  await s.committed()
}

export function withdrawAll(s: Session): string[] {
  const all = s.queue.splice(0)
  for (const message of all) finish(s, message, "withdrawn")
  return all.map((message) => message.id)
}

/** The agent has it: the user item stands where the model saw it. */
export function messageTaken(s: Session, id: string): void {
  const message = s.sending
  if (message === undefined || message.id !== id) return s.fault("taken_unsent", id)
  s.sending = undefined
  const turn = s.turn ?? startTurn(s, s.context.ids.next("turn"), "message", [id])
  message.turnId = turn.id
  if (!turn.messageIds.includes(id)) turn.messageIds.push(id)
  wholeItem(
    s,
    { kind: "message", role: "user", turn_id: turn.id, message_id: id, content: userContent(message) },
    "completed",
  )
  finish(s, message, "taken")
}

/** The agent gives it back: in front of the queue, or withdrawn if its own turn was cancelled. */
export function messageReturned(s: Session, id: string): void {
  const message = s.sending
  if (message === undefined || message.id !== id) return s.fault("returned_unsent", id)
  s.sending = undefined
  const place = s.turn?.messageIds.indexOf(id) ?? -1
  if (s.turn?.cancelling && place >= 0) return finish(s, message, "withdrawn")
  if (place >= 0) s.turn?.messageIds.splice(place, 1) // another turn will take it
  s.queue.unshift(message)
  requeue(s, message)
}

/** It waits for a turn of its own; the one it was meant for is not it. */
export function requeue(s: Session, message: MessageRow): void {
  message.state = "queued"
  message.delivery = "queue"
  message.turnId = s.context.ids.next("turn")
  tell(s, message, { position: positionOf(s, message.id) })
}

/** Never sent again by us: the person decides. */
export function failMessage(s: Session, message: MessageRow, error: TurnError): void {
  if (s.sending === message) s.sending = undefined
  message.error = error
  finish(s, message, "failed")
}

function finish(s: Session, message: MessageRow, state: "taken" | "withdrawn" | "failed"): void {
  message.state = state
  tell(s, message, state === "failed" ? { error: message.error } : {})
}

function tell(s: Session, m: MessageRow, more: { position?: number; error?: TurnError }): void {
  const source = m.state === "taken" ? undefined : "daemon"
  s.append(
    "message.updated",
    { message_id: m.id, state: m.state, delivery: m.delivery, turn_id: m.turnId, ...more },
    source,
  )
  const row = { ...m }
  s.context.store.write(() => s.context.rows.saveMessage(s.record.uid, row))
}

import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { TurnError } from "@sandbox-agent/schema/event"
import type { MessageRow } from "../store/row-types.ts"
import { outAttachments } from "./attachments.ts"
import { withDeadline } from "./deadline.ts"
import { MemoryGone } from "./driver.ts"
import { fullDisk } from "./full-disk.ts"
import { LoginMissing } from "./login.ts"
import { failMessage, messageReturned, requeue } from "./messages.ts"
import { ensureOpen } from "./opening.ts"
import { briefFor } from "./past.ts"
import { closeProcess, killProcess } from "./process.ts"
import { VersionNotSupported } from "./programs.ts"
import type { Session, Turn } from "./session.ts"
import { tellQueue } from "./tell-lists.ts"
import { endTurn, startTurn } from "./turns.ts"

/** Sends the head of the queue when the session is at rest. Called after every change that may have made it so. */
export function dispatch(s: Session): void {
  const { context } = s
  if (s.turn !== undefined || s.sending !== undefined || s.deleted || context.stopping || context.store.failing) return
  if (s.record.status !== "idle" && s.record.status !== "waiting") return
  const message = s.queue.shift()
  if (message === undefined) return
  sendNext(s, message)
  tellQueue(s)
}

/** Opens the turn of a message and sends it. `sending` is on disk before the driver sees it: a crash never sends twice. */
function sendNext(s: Session, message: MessageRow): void {
  markSending(s, message)
  const turn = startTurn(s, message.turnId, "message", [message.id], "daemon")
  turn.unsent = true
  deliver(s, message, turn).catch(async (error: unknown) => {
    // One that has just begun anew, and was told nothing yet, has nothing to forget.
    const known = (s.continued || s.spoken) && s.turn === turn && s.sending === message
    if (known && error instanceof MemoryGone) return sendAnew(s, message, error.detail)
    await letGo(s, turn, error)
    if (s.turn === turn) endTurn(s, { stop: "error", error: turnError(error) }, s.sending === message)
    else if (s.sending === message) failMessage(s, message, turnError(error))
  })
}

/**
 * What could not be given to its agent is not tried with it again: one that died is still read to its end before that is told, and
 * one that took nothing in all its time may take it yet. The next message goes to a new one.
 */
async function letGo(s: Session, turn: Turn, error: unknown): Promise<void> {
  const { epoch } = s
  if (turn.unsent || s.turn !== turn || !SandboxAgentError.is(error)) return
  if (error.code === "agent_process_exited") {
    const { closeMs } = s.context.deadlines
    // Late or not, what is so then is looked at below.
    await withDeadline(turn.ended.promise, closeMs, "its end was not told").catch(() => undefined)
  } else if (error.code !== "timeout") return
  if (s.turn === turn && s.epoch === epoch) killProcess(s)
}

/** The agent does not know the session after all, and took nothing: the message goes to one that is told of it. */
function sendAnew(s: Session, message: MessageRow, reason: string): void {
  messageReturned(s, message.id)
  s.record.openFrom = { kind: "brief", reason }
  closeProcess(s).catch((error: unknown) =>
    s.context.log("warn", "an agent could not be stopped", { session: s.record.id, error: String(error) }),
  )
  endTurn(s, { stop: "error", error: { code: "not_found", message: reason } })
}

async function deliver(s: Session, message: MessageRow, turn: Turn): Promise<void> {
  await s.committed()
  if (s.sending !== message) return // cancelled, or lost
  if (s.native === undefined) await ensureOpen(s)
  if (s.sending !== message) return
  const { native, epoch } = s
  if (native === undefined) throw new SandboxAgentError("agent_process_exited", "the agent is not running")
  const attachments = message.attachments.length > 0 ? await outAttachments(s, message) : []
  if (s.sending !== message || s.epoch !== epoch) return
  const brief = s.record.briefDue ? { brief: briefFor(s) } : {}
  const { id, text, passthrough } = message
  const out = { id, text, attachments, passthrough, ...brief }
  turn.unsent = false
  await withDeadline(native.send(out), s.context.deadlines.takenMs, "the agent did not take the message")
  watchTaken(s, message, turn, epoch)
}

/** Into the running turn. An agent that has none just then gives it back, in front of the queue. */
export function steer(s: Session, message: MessageRow): void {
  const { native, turn, epoch } = s
  // Meanwhile the turn is over, or another message is on its way: it goes as any other.
  const takes = () => s.turn === turn && turn?.cancelling === false
  if (native?.steer === undefined || turn === undefined || !takes() || s.sending !== undefined)
    return requeue(s, message)
  s.queue.splice(s.queue.indexOf(message), 1)
  markSending(s, message)
  tellQueue(s)
  const run = async () => {
    await s.committed()
    const { id, text, passthrough } = message
    const out = { id, text, attachments: await outAttachments(s, message), passthrough }
    if (s.sending !== message) return // lost, or given up, meanwhile
    const { takenMs } = s.context.deadlines
    const given = takes() ? native.steer?.(out) : undefined
    const accepted = given && (await withDeadline(given, takenMs, "the agent did not take the message"))
    if (s.sending !== message) return
    // It may be folded in only after a long command: it is late when the turn is over and nothing was heard of it.
    if (accepted) return turn.ended.promise.then(() => watchTaken(s, message, turn, epoch))
    messageReturned(s, message.id)
    s.context.advance(s)
  }
  run().catch((error: unknown) => {
    if (s.sending !== message) return
    failMessage(s, message, turnError(error))
    s.context.advance(s)
  })
}

function markSending(s: Session, message: MessageRow): void {
  message.state = "sending"
  s.sending = message
  const row = { ...message }
  s.saveRow("message", row.id, (rows, uid) => rows.saveMessage(uid, row))
}

/** Neither taken nor returned in time: failed, and the turn that was opened for it ends. */
function watchTaken(s: Session, message: MessageRow, turn: Turn, epoch: number): void {
  if (s.sending !== message) return
  const timer = setTimeout(() => {
    if (s.sending !== message || s.epoch !== epoch) return
    const error = {
      code: "timeout",
      message: `the agent did not take the message within ${s.context.deadlines.takenMs} ms`,
    }
    failMessage(s, message, error)
    const ours = s.turn === turn && turn.messageIds[0] === message.id && turn.messageIds.length === 1
    if (!ours) return s.context.advance(s)
    killProcess(s) // nobody knows what it is doing; the next message resumes it
    endTurn(s, { stop: "error", error }, true)
  }, s.context.deadlines.takenMs)
  timer.unref()
}

export function turnError(thrown: unknown): TurnError {
  const error = fullDisk(thrown) ?? thrown
  if (!SandboxAgentError.is(error))
    return { code: "internal", message: error instanceof Error ? error.message : String(error) }
  const { exitCode, signal, stderr, hint } = error.toAgentError()
  if (error instanceof LoginMissing) return { code: "authentication_failed", message: `${error.detail}. ${hint}` }
  if (error instanceof VersionNotSupported) return { code: error.code, message: `${error.detail}. ${hint}` }
  return { code: error.code, message: error.detail, exit_code: exitCode, signal, stderr }
}

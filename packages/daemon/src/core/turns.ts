import type { EventData, Usage } from "@sandbox-agent/schema/event"
import { closeProcess, killProcess } from "./opening.ts"
import { dispatch, withdrawAll } from "./queue.ts"
import { cancelRequest } from "./requests.ts"
import type { Session, Turn, TurnEnd } from "./session.ts"
import { takeLater } from "./settings.ts"
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
  takeLater(s, "next_turn")
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
  const doc = { origin, message_ids: [...messageIds] }
  s.context.store.write(() => s.context.rows.saveTurn(s.record.uid, { id, startedSeq, doc }))
  s.setStatus(s.requests.size > 0 ? "waiting" : "running", false)
  return turn
}

/** The driver reports a native start. */
export function nativeTurnStarted(s: Session, origin: Turn["origin"], native?: string): void {
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
  settle(s, { scope: "turn", reason: end.stop === "cancelled" ? "cancelled" : "lost", end, lost })
  afterTurn(s)
}

export function afterTurn(s: Session): void {
  reopenIfDue(s)
  dispatch(s)
}

/** Settings that need a new process come into force once nothing is lost by it. The next message opens it. */
export function reopenIfDue(s: Session): void {
  if (Object.keys(s.later.reopen).length === 0) return
  if (s.turn !== undefined || s.record.background > 0 || s.requests.size > 0) return
  takeLater(s, "reopen")
  closeProcess(s).catch((error: unknown) =>
    s.context.log("error", "reopen failed", { session: s.record.id, error: String(error) }),
  )
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
  s.append("usage.updated", { ...s.record.usage })
}

export function turnEndedData(turn: Turn, end: TurnEnd): EventData<"turn.ended"> {
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

export interface Cancelled {
  ended: boolean
  turnId?: string
  withdrawn: string[]
}

/** Interrupts the running turn. What the agent does not confirm in time is forced. */
export async function cancelTurn(s: Session, options: { queue?: boolean; background?: boolean }): Promise<Cancelled> {
  s.assertWritable()
  const withdrawn = options.queue ? withdrawAll(s) : []
  const { turn } = s
  if (options.background && s.record.background > 0) await stopBackground(s)
  if (turn === undefined || s.turn !== turn) {
    await s.committed()
    return { ended: true, turnId: turn?.id, withdrawn }
  }
  // Begun before the deadline that forces: a client whose agent had to be forced is told that it did not end in time.
  const late = Bun.sleep(s.context.deadlines.interruptMs).then(() => false)
  if (!turn.cancelling) {
    turn.cancelling = true
    for (const request of [...s.requests.values()])
      if (request.turnId === turn.id) cancelRequest(s, request, "turn cancelled")
    s.setStatus(s.requests.size > 0 ? "waiting" : "running", true)
    await s.committed()
    interrupt(s, turn)
  }
  const ended = await Promise.race([turn.ended.promise.then(() => true), late])
  return { ended, turnId: turn.id, withdrawn }
}

/** Sent to the agent and watched over; never awaited by the caller beyond its own deadline. */
function interrupt(s: Session, turn: Turn): void {
  const { native, epoch } = s
  const stillRunning = () => s.turn === turn && s.epoch === epoch
  if (s.turn !== turn) return // it ended by itself: an interrupt now would hit the next one
  const force = (why: string) => {
    if (!stillRunning()) return
    s.context.log("warn", "interrupt forced", { session: s.record.id, why })
    killProcess(s)
    endTurn(s, { stop: "cancelled", forced: true }, true)
  }
  const timer = setTimeout(() => force("not confirmed in time"), s.context.deadlines.interruptMs)
  void turn.ended.promise.then(() => clearTimeout(timer))
  // Not open yet: the dispatcher sees `cancelling` before it sends.
  native?.interrupt().catch((error: unknown) => force(String(error)))
}

async function stopBackground(s: Session): Promise<void> {
  if (s.native?.stopBackground)
    await Promise.race([s.native.stopBackground(), Bun.sleep(s.context.deadlines.interruptMs)])
  else if (s.turn === undefined) await closeProcess(s)
}

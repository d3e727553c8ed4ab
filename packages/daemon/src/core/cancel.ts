import { messageReturned, withdrawAll } from "./messages.ts"
import { closeProcess, killProcess } from "./process.ts"
import { cancelRequest } from "./requests.ts"
import type { Session, Turn } from "./session.ts"
import { endTurn } from "./turns.ts"

export interface Cancelled {
  ended: boolean
  turnId?: string
  withdrawn: string[]
}

/** Interrupts the running turn. What the agent does not confirm in time is forced; answered when the turn has ended. */
export async function cancelTurn(s: Session, options: { queue?: boolean; background?: boolean }): Promise<Cancelled> {
  s.assertWritable()
  const withdrawn = options.queue ? withdrawAll(s) : []
  const { turn } = s
  // What does not let itself be stopped keeps the turn from nothing.
  if (options.background && s.record.background > 0)
    await stopBackground(s).catch((error: unknown) => {
      if (turn === undefined) throw error
      s.context.log("warn", "work in the background was not stopped", { session: s.record.id, error: String(error) })
    })
  if (turn === undefined || s.turn !== turn) {
    await s.committed()
    return { ended: true, turnId: turn?.id, withdrawn }
  }
  // Long after the deadline that forces: nobody waits for ever, whatever goes wrong there.
  const late = Bun.sleep(2 * s.context.deadlines.interruptMs).then(() => false)
  if (!turn.cancelling) {
    turn.cancelling = true
    const opensAsking = s.native === undefined && s.requests.size > 0
    for (const request of [...s.requests.values()])
      if (request.turnId === turn.id) cancelRequest(s, request, "turn cancelled")
    if (opensAsking) killProcess(s) // it would wait for its answer for ever
    if (turn.unsent && s.sending !== undefined) messageReturned(s, s.sending.id)
    // No agent knows of it: what came to one now would hit its next turn.
    if (turn.unsent && !turn.nativeStarted) endTurn(s, { stop: "cancelled" })
    else s.setStatus(s.requests.size > 0 ? "waiting" : "running", true)
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
  native?.interrupt().catch((error: unknown) => force(String(error)))
}

async function stopBackground(s: Session): Promise<void> {
  if (s.native?.stopBackground)
    await Promise.race([s.native.stopBackground(), Bun.sleep(s.context.deadlines.interruptMs)])
  else if (s.turn === undefined) {
    await closeProcess(s)
    s.context.advance(s)
  }
}

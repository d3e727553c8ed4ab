import type { EventData } from "@sandbox-agent/schema/event"
import { withdrawAll } from "./messages.ts"
import { closeProcess, killProcess } from "./process.ts"
import type { Session, TurnEnd } from "./session.ts"
import { settle } from "./settle.ts"

/** Ends the session's life in its log; what to do with the process is the caller's. */
export function endSession(s: Session, data: EventData<"session.ended">, end: TurnEnd): void {
  if (s.record.status === "ended") return
  withdrawAll(s)
  settle(s, { scope: "all", reason: "session ended", end, lost: true })
  s.record.endedAt = s.context.clock.now()
  s.append("session.ended", data, data.terminated_by === "daemon" ? "daemon" : undefined)
  s.setStatus("ended", false)
  s.context.log("info", "session ended", { session: s.record.id, reason: data.reason, by: data.terminated_by })
  s.context.global.append("session.ended", s.record.id, { reason: data.reason, terminated_by: data.terminated_by })
}

/** The agent closed the conversation by itself. */
export function endedByAgent(s: Session): void {
  endSession(s, { reason: "completed", terminated_by: "agent" }, { stop: "end_turn" })
  killLater(s)
}

function killLater(s: Session): void {
  closeProcess(s).catch((error: unknown) => {
    s.context.log("warn", "an ended agent did not stop politely", { session: s.record.id, error: String(error) })
    killProcess(s)
  })
}

/** Ends the session for a client: the log first, then the process, within the grace period. */
export async function terminateSession(s: Session): Promise<void> {
  s.assertWritable(true)
  if (s.record.status !== "ended") {
    const stopped = stopOnTerminate(s)
    await s.committed()
    await stopped
  }
  await s.committed()
}

function stopOnTerminate(s: Session): Promise<void> {
  endSession(s, { reason: "terminated", terminated_by: "daemon" }, { stop: "cancelled", forced: true })
  return closeProcess(s)
}

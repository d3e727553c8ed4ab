import { limits } from "@sandbox-agent/schema/limits"
import type { TurnErrorCode } from "@sandbox-agent/schema/turn-error-codes"
import { isDamage } from "../store/damage.ts"
import { loadOpen } from "./load.ts"
import { ensureOpen } from "./opening.ts"
import { dispatch } from "./send.ts"
import type { Session } from "./session.ts"
import type { Sessions } from "./sessions.ts"
import { settle } from "./settle.ts"

/** Ends what the last daemon left open. Nothing can be asked or sent again: the agents have lost it. */
export function settleLastRun(sessions: Sessions): number {
  const { context } = sessions
  const unsettled = context.rows.unsettled()
  let settled = 0
  for (const id of unsettled) {
    const s = readableSession(sessions, id)
    if (s === undefined) continue
    settled++
    const error = {
      code: "daemon_restarted" satisfies TurnErrorCode,
      message: "the daemon was restarted while the turn was running",
    }
    settle(s, { scope: "all", reason: "daemon_restarted", end: { stop: "error", error }, lost: true })
    s.record.processLive = false
    if (s.record.background > 0) {
      s.record.background = 0
      s.append("session.updated", { background: 0 }, "daemon")
    }
    s.append("session.updated", { agent_process: "none" }, "daemon")
    if (s.record.status === "starting" || s.record.status === "installing") s.setStatus("idle", true)
    context.store.flush() // one session at a time: a start after a crash must not need memory for all of them
  }
  return settled
}

/** One whose rows are damaged is logged and left as it is: the others start all the same. */
function readableSession(sessions: Sessions, id: string): Session | undefined {
  try {
    const s = sessions.get(id)
    loadOpen(s)
    return s
  } catch (error) {
    if (!isDamage(error)) throw error
    sessions.context.log("error", "a damaged session was not settled", { session: id, error: String(error) })
    sessions.forget(id)
    return undefined
  }
}

/** Sessions with queued messages go on, a few at a time: several agents starting at once take seconds each. */
export async function resumeQueued(sessions: Sessions): Promise<void> {
  const waiting = sessions.context.rows.withQueue()
  const worker = async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      if (sessions.context.stopping) return
      try {
        const s = sessions.get(id)
        await ensureOpen(s).catch((error: unknown) => notResumed(sessions, id, error))
        dispatch(s)
      } catch (error) {
        notResumed(sessions, id, error) // damaged, or deleted meanwhile: the others go on
      }
    }
  }
  await Promise.all(Array.from({ length: limits.resumeConcurrency }, worker))
}

const notResumed = (sessions: Sessions, id: string, error: unknown) =>
  sessions.context.log("warn", "a session could not be resumed", { session: id, error: String(error) })

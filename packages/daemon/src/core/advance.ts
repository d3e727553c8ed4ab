import { applyDeferred } from "./applied-settings.ts"
import { closeProcess } from "./process.ts"
import { dispatch } from "./send.ts"
import type { Session } from "./session.ts"

/** Starts what waits for the session to be idle: a reopening, the next message. Called after every transition that may leave it idle. */
export function advance(s: Session): void {
  reopenIfDue(s)
  dispatch(s)
}

/** Settings that need a new process come into force once nothing is lost by it. The next message opens it. */
function reopenIfDue(s: Session): void {
  if (Object.keys(s.deferred.reopen).length === 0) return
  // A steered message may be with the agent beyond its turn.
  if (s.turn !== undefined || s.sending !== undefined || s.record.background > 0 || s.requests.size > 0) return
  applyDeferred(s, "reopen")
  closeProcess(s).catch((error: unknown) =>
    s.context.log("error", "reopen failed", { session: s.record.id, error: String(error) }),
  )
}

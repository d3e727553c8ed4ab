import { takeLater } from "./in-force.ts"
import { closeProcess } from "./process.ts"
import { dispatch } from "./send.ts"
import type { Session } from "./session.ts"

/** What follows when nothing runs any more; harmless when something does. Every transition that may end in rest calls it. */
export function atRest(s: Session): void {
  reopenIfDue(s)
  dispatch(s)
}

/** Settings that need a new process come into force once nothing is lost by it. The next message opens it. */
function reopenIfDue(s: Session): void {
  if (Object.keys(s.later.reopen).length === 0) return
  if (s.turn !== undefined || s.record.background > 0 || s.requests.size > 0) return
  takeLater(s, "reopen")
  closeProcess(s).catch((error: unknown) =>
    s.context.log("error", "reopen failed", { session: s.record.id, error: String(error) }),
  )
}

import { takeLater } from "./in-force.ts"
import { closeProcess } from "./process.ts"
import { dispatch } from "./send.ts"
import type { Session } from "./session.ts"

/** What follows when nothing runs any more; harmless when something does. Every transition that may end in rest calls it. */
export function atRest(s: Session): void {
  reopenIfDue(s)
  dispatch(s)
}

/** Nothing runs, waits or is asked. */
export const isAtRest = (s: Session): boolean =>
  s.turn === undefined &&
  s.sending === undefined &&
  s.queue.length === 0 &&
  s.requests.size === 0 &&
  s.opening === undefined &&
  s.record.background === 0

/** Its agent finds it again, or nothing was said since it was opened. Until it is durable its process alone remembers it. */
export const canComeBack = ({ native, driver, spoken }: Session): boolean =>
  (native?.ref.durable && driver?.capabilities.resume) || !spoken

/** Nobody watches it any more: at rest it gives up its process at once, and the next message brings it back. */
export function leaveAtRest(s: Session): void {
  if (s.native === undefined || !isAtRest(s) || !canComeBack(s)) return
  closeProcess(s).catch((error: unknown) =>
    s.context.log("warn", "an agent that nobody watches was not stopped", {
      session: s.record.id,
      error: String(error),
    }),
  )
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

import { limits } from "@sandbox-agent/schema/limits"
import type { Context } from "./context.ts"
import { closeProcess } from "./process.ts"
import type { Session } from "./session.ts"

/** Nothing runs, waits or is asked. */
export const isIdle = (s: Session): boolean =>
  s.turn === undefined &&
  s.sending === undefined &&
  s.queue.length === 0 &&
  s.requests.size === 0 &&
  s.opening === undefined &&
  s.record.background === 0

/** Its agent finds it again, or nothing was said since it was opened. Until it is durable its process alone remembers it. */
export const canComeBack = ({ native, driver, spoken }: Session): boolean =>
  (native?.ref.durable && driver?.capabilities.resume) || !spoken

/** It is not needed now: at rest it gives up its process at once, and the next message brings it back. */
export function stopIfIdle(s: Session): void {
  if (s.native === undefined || !isIdle(s) || !canComeBack(s)) return
  closeProcess(s).catch((error: unknown) =>
    s.context.log("warn", "an agent at rest was not stopped", {
      session: s.record.id,
      error: String(error),
    }),
  )
}

/** So many agents may stay open for sessions at rest; beyond it those that have rested longest are stopped. */
export function stopLongestIdle({ open }: Context): void {
  if (open.size <= limits.idleAgents) return
  const resting = [...open].filter((s) => !s.driver?.shared && isIdle(s) && canComeBack(s))
  const tooMany = resting.length - limits.idleAgents
  if (tooMany <= 0) return
  resting.sort((a, b) => a.idleSince - b.idleSince)
  for (const s of resting.slice(0, tooMany)) stopIfIdle(s)
}

import { agentStatsOf } from "./agent-stats.ts"
import { withDeadline } from "./deadline.ts"
import type { Native } from "./driver.ts"
import type { Exit } from "./driver-sink.ts"
import type { Session } from "./session.ts"
import { settle } from "./settle.ts"

/** The process or connection is lost: its turn ends, the session does not. */
export function gone(s: Session, exit: Exit): void {
  const { record, turn, native } = s
  if (native !== undefined) record.native = { ...record.native, ...withoutUndefined(native.ref) }
  drop(s)
  s.lost = true
  const message =
    exit.message ??
    `agent ${record.agent} exited${exit.signal ? ` by ${exit.signal}` : ` with code ${exit.code ?? "unknown"}`}`
  const error = {
    code: "agent_process_exited",
    message,
    exit_code: exit.code,
    signal: exit.signal,
    stderr: exit.stderr,
  }
  const stats = agentStatsOf(s.context, record.agent)
  stats.lastError = message
  // One that we ended because it did not let itself be interrupted did not fail.
  if (!turn?.cancelling && exit.code !== 0) stats.failed = true
  const end = turn?.cancelling ? { stop: "cancelled" as const, forced: true } : { stop: "error" as const, error }
  settle(s, { scope: "all", reason: turn?.cancelling ? "cancelled" : "lost", end, lost: true })
  s.setProcess("none")
  if (turn === undefined && exit.code !== 0) s.append("error", { message, code: error.code, details: exit }, "daemon")
}

/** From here on nothing the old process says counts. */
export function drop(s: Session): void {
  s.epoch++
  s.abandon?.()
  s.abandon = undefined
  if (s.native !== undefined) agentStatsOf(s.context, s.record.agent).open -= 1
  s.native = undefined
  s.context.open.delete(s)
  s.forwardedRequests.clear()
  if (s.record.background > 0) {
    s.record.background = 0
    s.append("session.updated", { background: 0 }, "daemon")
  }
}

/** Stops the agent politely; the session stays as it is and resumes on its next message. */
export async function closeProcess(s: Session): Promise<void> {
  const { native } = s
  if (native === undefined) return abandonOpening(s)
  s.record.native = { ...s.record.native, ...withoutUndefined(native.ref) }
  drop(s)
  settleLate(s)
  s.setProcess("none")
  const { closeMs } = s.context.deadlines
  const closed = withDeadline(native.close(), closeMs, "the agent did not stop").catch(() => native.kill())
  await leaving(
    s,
    closed.then(() => noteKept(s, native)),
  )
}

/** What it wrote on its way out is there the next time, too. */
function noteKept(s: Session, { ref: { id, kept } }: Native): void {
  const { native } = s.record
  if (kept === undefined || kept === native.kept || id !== native.id) return
  native.kept = kept
  s.context.store.saveLater(s)
}

/** What the agent began or was given outside a turn it cannot end any more. What belongs to a turn ends with that. */
function settleLate(s: Session): void {
  const left = s.items.size + s.calls.size + s.requests.size > 0 || s.sending !== undefined
  if (s.turn !== undefined || !left) return
  settle(s, { scope: "all", reason: "agent stopped", end: { stop: "end_turn" }, lost: true })
}

/** The next opening waits for this, whatever becomes of it. */
function leaving(s: Session, gone: Promise<void>): Promise<void> {
  const closing = Promise.allSettled([s.closing, gone]).then(() => {
    if (s.closing === closing) s.closing = undefined
  })
  s.closing = closing
  return gone
}

/** At once, without waiting: the supervisor sees to the rest. */
export function killProcess(s: Session): void {
  const { native } = s
  const killed = native === undefined ? abandonOpening(s) : leaving(s, native.kill())
  drop(s)
  s.setProcess("none")
  killed.catch((error: unknown) =>
    s.context.log("error", "an agent could not be killed", { session: s.record.id, error: String(error) }),
  )
}

async function abandonOpening(s: Session): Promise<void> {
  if (s.opening === undefined) return
  drop(s)
  s.setProcess("none")
  await s.context.supervisor.killOwner(ownerOf(s))
}

/** Whom the supervisor holds the processes of a session for. */
export const ownerOf = (s: Session): string => `session:${s.record.id}`

const withoutUndefined = <T extends object>(value: T): Partial<T> =>
  Object.fromEntries(Object.entries(value).filter(([, v]) => v !== undefined)) as Partial<T>

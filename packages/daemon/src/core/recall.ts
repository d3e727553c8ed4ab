import { type ErrorCode, SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import { MemoryGone, type Native, type OpenFrom } from "./driver.ts"
import { LoginMissing } from "./login.ts"
import { hasPast } from "./past.ts"
import { ownerOf } from "./process.ts"
import { VersionNotSupported } from "./programs.ts"
import type { Session } from "./session.ts"

/** An agent that is open; `rebuilt`: it does not remember the session, and why. */
export interface Recalled {
  native: Native
  /** The agent said that it goes on with a session of its own. */
  continued: boolean
  rebuilt?: string
}

/** Opens what the agent remembers of the session, or a new conversation where that is nothing. */
export async function recall(s: Session, open: (from: OpenFrom) => Promise<Native>): Promise<Recalled> {
  const { from, rebuilt } = beginning(s)
  try {
    return { native: await open(from), continued: from.kind !== "new", rebuilt }
  } catch (error) {
    const reason = from.kind === "new" ? undefined : whyForgotten(s, error)
    if (reason === undefined) throw error
    // Adopted, and nothing of it was ever seen: there is nothing to go on with.
    if (from.kind === "adopt" && !hasPast(s)) throw error
    const { id, agent } = s.record
    s.context.log("warn", "an agent does not remember a session", { session: id, agent, reason })
    await s.context.supervisor.killOwner(ownerOf(s))
    return { native: await open(anew(s)), continued: false, rebuilt: reason }
  }
}

/** It says so, or fails at what it kept, again and again: one that cannot start at all fails anew, too. */
function whyForgotten(s: Session, error: unknown): string | undefined {
  if (error instanceof MemoryGone) return error.detail
  const given = s.abandon === undefined // up by ourselves
  if (given || s.context.stopping || isOfAnother(error)) return undefined
  const { record } = s
  record.resumeFailures = (record.resumeFailures ?? 0) + 1
  if (record.resumeFailures < limits.resumeTries) return undefined
  const dies = SandboxAgentError.is(error) && error.code === "agent_process_exited"
  const words = SandboxAgentError.is(error) ? error.detail : String(error)
  return dies ? `it does not survive going on with it: ${words}` : `it cannot go on with it: ${words}`
}

/** What stands in its way whatever it kept, and can be cured: then what it kept is there again. */
const codesOfOthers: readonly ErrorCode[] = [
  ...(["agent_not_installed", "install_failed", "unsupported_agent"] as const),
  ...(["mode_not_supported", "permission_denied", "conflict", "too_many_requests"] as const),
]

const curable =
  /\b(?:un)?auth|\blog(?:ged)? ?in\b|\bapi.?key|\bcredential|\bnetwork|\bfetch|\bconnect|\bsocket|\bquota|\brate limit|\bbilling|\btimed? ?out|\bpermission|\boverload|\bunavailable|\b50[234]\b|\bE(?:CONN|HOSTUNREACH|TIMEDOUT|NOTFOUND|AI_AGAIN|NOSPC|MFILE|AGAIN|NOMEM)/i

function isOfAnother(error: unknown): boolean {
  if (!SandboxAgentError.is(error)) return curable.test(String(error))
  const { code, detail, context } = error
  if (error instanceof LoginMissing || error instanceof VersionNotSupported || codesOfOthers.includes(code)) return true
  if (context.option !== undefined) return true // a model or the like that it does not take
  // Whoever killed it from outside, that says nothing of what it kept; one that dies says nothing certain of why.
  return code === "agent_process_exited" ? context.signal === "SIGKILL" : curable.test(detail)
}

const anew = ({ record: { native } }: Session): OpenFrom =>
  native.chosen === undefined ? { kind: "new" } : { kind: "new", chosen: native.chosen }

function beginning(s: Session): { from: OpenFrom; rebuilt?: string } {
  const { openFrom, native, agent } = s.record
  if (openFrom?.kind === "brief") return { from: anew(s), rebuilt: openFrom.reason }
  if (openFrom !== undefined) return { from: openFrom }
  const resumes = s.driver?.capabilities.resume ?? false
  if (resumes && native.durable && native.id !== undefined) return { from: { kind: "resume", ref: { ...native } } }
  // A session to which nobody has spoken yet has nothing to remember.
  const begun = s.messageOrd > 0 || native.id !== undefined
  if (!begun || !hasPast(s)) return { from: anew(s) }
  const rebuilt = resumes ? `${agent} had not kept the conversation yet` : `${agent} cannot resume a session`
  return { from: anew(s), rebuilt }
}

/** From here on the agent is in another native session, and owes it to the brief what it knows of this one. */
export function logRebuilt(s: Session, reason: string): void {
  const { record } = s
  record.briefDue = hasPast(s) || undefined
  const changes = { native_session_id: record.native.id, context: "rebuilt" as const, reason }
  record.rebuiltAt = s.append("session.updated", changes, "daemon")
}

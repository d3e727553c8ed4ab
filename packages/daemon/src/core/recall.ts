import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import { MemoryGone, type Native, type OpenFrom } from "./driver.ts"
import { hasPast } from "./past.ts"
import { ownerOf } from "./process.ts"
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

/** It says so, or dies of what it kept, again and again: one that cannot start at all fails anew, too. */
function whyForgotten(s: Session, error: unknown): string | undefined {
  if (error instanceof MemoryGone) return error.detail
  const given = s.abandon === undefined // up by ourselves
  if (given || !SandboxAgentError.is(error) || error.code !== "agent_process_exited") return undefined
  // Whoever killed it from outside, that says nothing of what it kept.
  if (error.context.signal === "SIGKILL") return undefined
  s.resumeDeaths++
  return s.resumeDeaths < limits.resumeTries ? undefined : `it does not survive going on with it: ${error.detail}`
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

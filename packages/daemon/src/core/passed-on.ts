import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import { withDeadline } from "./deadline.ts"
import type { PassthroughResponse } from "./driver.ts"
import type { Session } from "./session.ts"

/** A request of the agent that means nothing to us, while clients of its own protocol may answer it. */
export interface PassedOn {
  readonly key: string
  /** Clients that could not answer. */
  refusals: number
  /** Agents that tried to answer it themselves. */
  refused?: Set<string>
}

/** Logs it as a line of the agent's own, and says whether anybody is there who could answer. */
export function passOn(s: Session, method: string, key: string): boolean {
  const sequence = s.append("agent.native", { method })
  if (s.speakers === 0 || s.passedOn.size >= limits.openRequests) return false
  s.passedOn.set(sequence, { key, refusals: 0 })
  return true
}

/** The first result counts; an error only when it is everybody's. */
export async function replyPassedOn(s: Session, sequence: number, response: PassthroughResponse): Promise<void> {
  const open = s.passedOn.get(sequence)
  if (open === undefined)
    throw new SandboxAgentError("conflict", "the agent no longer waits for this answer", { sessionId: s.record.id })
  if ("error" in response && ++open.refusals < s.speakers) return
  s.passedOn.delete(sequence)
  const { native } = s
  if (native?.passthrough === undefined) return
  const { answerMs } = s.context.deadlines
  await withDeadline(
    native.passthrough.reply(open.key, response),
    answerMs,
    `agent ${s.record.agent} did not take the answer`,
  )
}

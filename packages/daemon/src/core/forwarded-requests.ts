import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import { withDeadline } from "./deadline.ts"
import type { AnswerTaker, PassthroughResponse } from "./driver.ts"
import type { Session } from "./session.ts"

/** A request of the agent that the core has no word for; clients that read the session over ACP may answer it. */
export interface ForwardedRequest {
  readonly key: string
  /** Who asked takes the answer, be it open already or not. */
  readonly by?: AnswerTaker
  /** Clients that could not answer. */
  refusals: number
  /** Agents that tried to answer it themselves. */
  refused?: Set<string>
}

/** Logs the native line, and says whether a client reads this session over ACP and so could answer. */
export function forwardRequest(s: Session, method: string, key: string, by?: AnswerTaker): boolean {
  const sequence = s.append("agent.native", { method })
  if (s.acpReaders === 0 || s.forwardedRequests.size >= limits.openRequests) return false
  s.forwardedRequests.set(sequence, { key, by, refusals: 0 })
  return true
}

/** The first result counts; an error is passed to the agent only when every client has answered with one. */
export async function replyForwarded(s: Session, sequence: number, response: PassthroughResponse): Promise<void> {
  const open = s.forwardedRequests.get(sequence)
  if (open === undefined)
    throw new SandboxAgentError("conflict", "the agent no longer waits for this answer", { sessionId: s.record.id })
  if ("error" in response && ++open.refusals < s.acpReaders) return
  s.forwardedRequests.delete(sequence)
  const taker = open.by?.reply === undefined ? s.native?.passthrough : open.by
  const taken = taker?.reply?.(open.key, response)
  const { answerMs } = s.context.deadlines
  await withDeadline(taken ?? Promise.resolve(), answerMs, `agent ${s.record.agent} did not take the answer`)
}

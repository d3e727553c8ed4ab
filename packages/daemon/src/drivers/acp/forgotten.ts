import { MemoryGone } from "../../core/driver.ts"
import { wordsOf } from "./failure.ts"
import { RpcError, rpcCodes } from "./peer.ts"

/** The calls that go on with a session the agent should have; a prompt only where it is the first. */
const continuing = ["session/load", "session/resume", "session/fork", "session/prompt"]

const session = /\b(?:session|conversation|thread|transcript|rollout|history|checkpoint)s?\b/i
const missing =
  /not found|\bno (?:such |saved |rollout |session|conversation)|\bunknown\b|(?:does not|doesn't) exist|\binvalid session|\bcorrupt|(?:failed|unable) to (?:load|read|parse|resume|restore)|(?:could|can) ?not (?:be )?(?:load|read|parse|resume|restore|found)/i
/** Of the same words, what will pass or can be cured. */
const curable = /\b(?:auth|log ?in|api key|network|fetch|connect|socket|timed? ?out|quota|rate limit|permission)/i

/**
 * An agent says in many ways that it has no such session, or cannot read it. The protocol's own is one code; the rest
 * is told by words that speak of the session.
 */
export function forgotten(error: unknown, name: string): MemoryGone | undefined {
  if (!(error instanceof RpcError) || !continuing.includes(error.method)) return undefined
  const { failure } = error
  const words = wordsOf(failure)
  const said = session.test(words) && missing.test(words) && !curable.test(words)
  const coded = failure.code === rpcCodes.notFound
  const isForgotten = coded || (failure.code !== rpcCodes.authRequired && said)
  return isForgotten ? new MemoryGone(`${name}: ${words}`) : undefined
}

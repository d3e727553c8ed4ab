import type { Usage } from "@sandbox-agent/schema/event"
import type { TokenUsage } from "./native.ts"

/** What one answer of the model took; what it was given and said is what its context holds. */
export function usageOf(used: TokenUsage | undefined, contextSize: number | undefined): Partial<Usage> | undefined {
  if (used === undefined) return undefined
  const cached = used.cacheRead ?? 0
  const input = (used.input ?? 0) + (used.cacheWrite ?? 0) + cached
  const output = used.output ?? 0
  if (input + output === 0) return undefined
  const { reasoning = 0, cost } = used
  return {
    input_tokens: input,
    output_tokens: output,
    cached_tokens: cached,
    ...(reasoning > 0 && { reasoning_tokens: reasoning }),
    // It has no price for a model it does not know.
    ...(cost?.total && { cost_usd: cost.total }),
    context_used: used.totalTokens || input + output,
    ...(contextSize && { context_size: contextSize }),
  }
}

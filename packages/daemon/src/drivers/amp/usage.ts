import type { Usage } from "@sandbox-agent/schema/event"
import type { TokenUsage } from "./native.ts"

/** What one answer of the model took; what it was given and said is what its context holds. */
export function usageOf(used: TokenUsage | undefined): Partial<Usage> | undefined {
  if (used === undefined) return undefined
  const cached = used.cache_read_input_tokens ?? 0
  const input = (used.input_tokens ?? 0) + (used.cache_creation_input_tokens ?? 0) + cached
  const output = used.output_tokens ?? 0
  if (input + output === 0) return undefined
  return {
    input_tokens: input,
    output_tokens: output,
    cached_tokens: cached,
    context_used: input + output,
    ...(used.max_tokens !== undefined && { context_size: used.max_tokens }),
  }
}

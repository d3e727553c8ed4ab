import type { Usage } from "@sandbox-agent/schema/event"
import type { TokenUsage } from "./native.ts"

/** The last answer of the model. Its input counts what came from the cache, too. Of a sub-agent the context is not ours. */
export function usageOf({ last, modelContextWindow }: TokenUsage, mainThread: boolean): Partial<Usage> {
  const { cachedInputTokens = 0, reasoningOutputTokens = 0 } = last
  return {
    input_tokens: last.inputTokens,
    output_tokens: last.outputTokens,
    cached_tokens: cachedInputTokens,
    ...(reasoningOutputTokens > 0 && { reasoning_tokens: reasoningOutputTokens }),
    ...(mainThread && { context_used: last.totalTokens }),
    ...(mainThread && modelContextWindow && { context_size: modelContextWindow }),
  }
}

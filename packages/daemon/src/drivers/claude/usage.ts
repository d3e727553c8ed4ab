import type { Usage } from "@sandbox-agent/schema/event"
import type { ModelUsage, ResultLine, TokenUsage } from "./native.ts"

/** Makes increments of Claude Code's counters, which are totals of a process or, on newer versions, of the session. */
export class UsageMeter {
  /** Totals of the last result, by model. */
  #seen: Record<string, ModelUsage> = {}
  #context: number | undefined
  /** The model of the main conversation, as `init` names it. */
  model = ""

  /** Of the main conversation: what the model was given and said is what its context holds. */
  message(usage: TokenUsage | undefined): void {
    if (usage === undefined) return
    const input =
      (usage.input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0)
    if (input > 0) this.#context = input + (usage.output_tokens ?? 0)
  }

  /** `/clear` begins to count anew. */
  reset(): void {
    this.#seen = {}
    this.#context = undefined
  }

  result({ modelUsage = {}, model_usage_since_last_result: since }: ResultLine): Partial<Usage> | undefined {
    const fresh = since ?? this.#subtract(modelUsage)
    this.#seen = modelUsage
    const sum = (pick: (usage: ModelUsage) => number | undefined) =>
      Object.values(fresh).reduce((total, usage) => total + (pick(usage) ?? 0), 0)
    const cached = sum((usage) => usage.cacheReadInputTokens)
    const input = sum((usage) => usage.inputTokens) + sum((usage) => usage.cacheCreationInputTokens) + cached
    const output = sum((usage) => usage.outputTokens)
    if (input + output === 0) return undefined
    const cost = sum((usage) => usage.costUSD)
    const thinking = sum((usage) => usage.thinkingTokens)
    const sizes = Object.values(modelUsage).map((usage) => usage.contextWindow ?? 0)
    const size = modelUsage[this.model]?.contextWindow ?? Math.max(0, ...sizes)
    return {
      input_tokens: input,
      output_tokens: output,
      cached_tokens: cached,
      ...(thinking > 0 && { reasoning_tokens: thinking }),
      // It has no price for a model it does not know.
      ...(cost > 0 && { cost_usd: cost }),
      ...(this.#context !== undefined && { context_used: this.#context }),
      ...(size > 0 && { context_size: size }),
    }
  }

  /** Totals fall back when the process forgot some: then all of it is new. */
  #subtract(totals: Record<string, ModelUsage>): Record<string, ModelUsage> {
    const names = [
      "inputTokens",
      "outputTokens",
      "cacheReadInputTokens",
      "cacheCreationInputTokens",
      "costUSD",
    ] as const
    return Object.fromEntries(
      Object.entries(totals).map(([model, now]) => {
        const before = this.#seen[model] ?? {}
        const fell = names.some((name) => (now[name] ?? 0) < (before[name] ?? 0))
        const from = (name: (typeof names)[number]) => (now[name] ?? 0) - (fell ? 0 : (before[name] ?? 0))
        return [model, Object.fromEntries(names.map((name) => [name, from(name)]))]
      }),
    )
  }
}

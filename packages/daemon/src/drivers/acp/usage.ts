import type { Usage } from "@sandbox-agent/schema/event"
import { at, type Json, number, record, text } from "../shared/json.ts"

/** Tokens as agents tell them, each in its own place and words. */
export class UsageMeter {
  #cost = 0

  /** `usage_update`: how full the context is, and what the session has cost so far. */
  update(update: Json): Partial<Usage> {
    const [used, size] = [number(update.used), number(update.size)]
    const cost = text(at(update, "cost", "currency")) === "USD" ? number(at(update, "cost", "amount")) : undefined
    // A total that fell began anew.
    const more = cost === undefined ? 0 : cost - (cost < this.#cost ? 0 : this.#cost)
    this.#cost = cost ?? this.#cost
    return {
      ...(used !== undefined && { context_used: used }),
      ...(size !== undefined && size > 0 && { context_size: size }),
      ...(more > 0 && { cost_usd: more }),
    }
  }

  /** The answer to a prompt: what its turn took. */
  turn(result: Json): Partial<Usage> | undefined {
    return tokens(record(result.usage)) ?? tokens(record(at(result, "_meta", "quota", "token_count")))
  }

  /** Figures that hang on an empty text. */
  chunk(update: Json): Partial<Usage> | undefined {
    if (update._meta === undefined) return undefined
    return tokens(record(at(update, "_meta", "usage")))
  }
}

function tokens(reported: Json): Partial<Usage> | undefined {
  const of = (...names: string[]) => names.map((name) => number(reported[name])).find((found) => found !== undefined)
  const input = of("inputTokens", "input_tokens")
  const output = of("outputTokens", "output_tokens")
  if (input === undefined && output === undefined) return undefined
  const cached = of("cachedReadTokens", "cachedInputTokens") ?? 0
  const written = of("cachedWriteTokens", "cacheWriteInputTokens") ?? 0
  const total = of("totalTokens")
  // Some count what came from the cache apart from the input, some within it: the total tells.
  const apart = total !== undefined && total >= (input ?? 0) + (output ?? 0) + cached + written
  const reasoning = of("thoughtTokens", "reasoningOutputTokens")
  return {
    input_tokens: (input ?? 0) + (apart ? cached + written : 0),
    output_tokens: output ?? 0,
    ...(cached > 0 && { cached_tokens: cached }),
    ...(reasoning !== undefined && reasoning > 0 && { reasoning_tokens: reasoning }),
  }
}

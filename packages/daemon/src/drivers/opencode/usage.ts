import type { Usage } from "@sandbox-agent/schema/event"
import type { StepFinishPart } from "./native.ts"

/** What one request to the model took. OpenCode counts cached tokens and reasoning apart from input and output. */
export function usageOf({ tokens, cost }: StepFinishPart, main: boolean, size: number | undefined): Partial<Usage> {
  const input = tokens.input + tokens.cache.read + tokens.cache.write
  const output = tokens.output + tokens.reasoning
  return {
    input_tokens: input,
    output_tokens: output,
    cached_tokens: tokens.cache.read,
    ...(tokens.reasoning > 0 && { reasoning_tokens: tokens.reasoning }),
    // Without a price it says 0.
    ...(cost > 0 && { cost_usd: cost }),
    ...(main && input > 0 && { context_used: input + output }),
    ...(main && size !== undefined && { context_size: size }),
  }
}

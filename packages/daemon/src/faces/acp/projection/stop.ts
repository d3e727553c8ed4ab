import type { PromptResponse } from "@agentclientprotocol/sdk"
import { type ErrorCode, errors } from "@sandbox-agent/schema/error"
import type { EventData, TurnError, Usage } from "@sandbox-agent/schema/event"
import { ours } from "./envelope.ts"
import { type RpcError, rpcCodeOf } from "./rpc-error.ts"

/** How a `session/prompt` is answered. `usage` is not in the stable schema, but what agents send and clients read. */
export type PromptAnswer = { result: PromptResponse & { usage?: PromptUsage } } | { error: RpcError }

interface PromptUsage {
  totalTokens: number
  inputTokens: number
  outputTokens: number
  thoughtTokens?: number
  cachedReadTokens?: number
}

/** The turn that took the prompt has ended. */
export function turnAnswer(turn: EventData<"turn.ended">, messageId: string): PromptAnswer {
  const { stop_reason: stopReason, error, forced, usage, cost_usd: costUsd, turn_id: turnId } = turn
  const place = { turnId, messageId }
  if (stopReason === "error") return { error: errorOf(error ?? unexplained, place) }
  const meta = ours({ ...place, messageIds: turn.message_ids, forced, costUsd })
  return { result: { stopReason, ...(usage && { usage: usageOf(usage) }), ...meta } }
}

/** A message that no turn will take: taken back, or lost on its way. Nothing yet for one that still has a future. */
export function messageAnswer(message: EventData<"message.updated">): PromptAnswer | undefined {
  const { state, message_id: messageId, error } = message
  if (state === "withdrawn") return { result: { stopReason: "cancelled", ...ours({ messageId, withdrawn: true }) } }
  return state === "failed" ? { error: errorOf(error ?? unexplained, { messageId }) } : undefined
}

const unexplained: TurnError = { code: "internal", message: "the agent gave no reason" }

function errorOf({ code, message, exit_code: exitCode, signal, stderr }: TurnError, place: object): RpcError {
  const hint = Object.hasOwn(errors, code) ? errors[code as ErrorCode].hint : undefined
  const context = { code, exitCode, signal, stderr, hint, ...place }
  const known = Object.entries(context).filter(([, value]) => value !== undefined)
  return { code: rpcCodeOf(code), message, data: Object.fromEntries(known) }
}

function usageOf({ input_tokens, output_tokens, cached_tokens, reasoning_tokens }: Usage): PromptUsage {
  return {
    totalTokens: input_tokens + output_tokens,
    inputTokens: input_tokens,
    outputTokens: output_tokens,
    ...(reasoning_tokens !== undefined && { thoughtTokens: reasoning_tokens }),
    ...(cached_tokens !== undefined && { cachedReadTokens: cached_tokens }),
  }
}

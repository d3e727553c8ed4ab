import type { StopReason, TurnError } from "@sandbox-agent/schema/event"
import { parseOfAgent } from "@sandbox-agent/schema/json-depth"
import { record, text } from "../shared/json.ts"
import { codeOfStatus, type FailureCode } from "../shared/provider-status.ts"
import type { Turn, TurnFailure } from "./native.ts"

export interface Outcome {
  stop: StopReason
  error?: TurnError
}

export function outcomeOf({ status, error }: Turn, said?: TurnFailure): Outcome {
  if (status === "interrupted") return { stop: "cancelled" }
  if (status !== "failed") return { stop: "end_turn" }
  const failure = error ?? said ?? { message: "the turn failed and Codex did not say why" }
  const reported = errorOf(failure)
  if (/^Incomplete response.*reason: max_output_tokens/i.test(failure.message)) return { stop: "max_tokens" }
  if (/^Incomplete response.*reason: content_filter/i.test(failure.message)) return { stop: "refusal" }
  return { stop: "error", error: reported }
}

const words: Record<string, FailureCode> = {
  contextWindowExceeded: "prompt_too_long",
  sessionBudgetExceeded: "budget_exhausted",
  usageLimitExceeded: "usage_limit",
  rateLimitExceeded: "rate_limited",
  serverOverloaded: "overloaded",
  policyCapacityUnavailable: "overloaded",
  flexUnavailable: "overloaded",
  modelNotFound: "model_not_found",
  cyberPolicy: "policy_violation",
  misalignmentPolicyViolation: "policy_violation",
  internalServerError: "server_error",
  unauthorized: "authentication_failed",
  badRequest: "invalid_request",
  sandboxError: "sandbox_error",
  tooManyDenials: "too_many_denials",
}

/** Its kinds of errors are an open list: a word, or an object with one. What it does not know it gives as it came. */
export function errorOf({ message, codexErrorInfo: info }: TurnFailure): TurnError {
  const reported = providerError(message)
  return reported ? { code: "invalid_request", message: reported } : { code: codeOf(info, message), message }
}

/** A refused request comes with the whole body of the answer as its message. */
function providerError(message: string): string | undefined {
  if (!message.startsWith("{")) return undefined
  try {
    return text(record(record(parseOfAgent(message)).error).message)
  } catch {
    return undefined // it only looks like one
  }
}

function codeOf(info: TurnFailure["codexErrorInfo"], message: string): string {
  if (typeof info === "string" && info !== "other") return words[info] ?? snake(info)
  const [name, detail] = Object.entries(record(info))[0] ?? []
  const status = record(detail).httpStatusCode
  if (status === 503) return "overloaded"
  if (typeof status === "number") return codeOfStatus(status) ?? "invalid_request"
  if (name !== undefined)
    return words[name] ?? (/connection|disconnected|attempts/i.test(name) ? "connection_failed" : snake(name))
  if (/^stream disconnected/i.test(message)) return "connection_failed"
  if (/^Missing environment variable/i.test(message)) return "authentication_failed"
  return "agent_error"
}

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

import type { StopReason, TurnError } from "@sandbox-agent/schema/event"
import { record, text } from "../shared/json.ts"
import { codeOfStatus, type FailureCode } from "../shared/provider-status.ts"
import type { NativeError } from "./native.ts"

export interface Outcome {
  stop: StopReason
  error?: TurnError
}

/** How a turn ended: by its last answer, or by an error that left none. */
export function outcomeOf(error: NativeError | undefined, finish: string | undefined): Outcome {
  if (error === undefined) return { stop: stops[finish ?? ""] ?? "end_turn" }
  if (error.name === "MessageAbortedError") return { stop: "cancelled" }
  if (error.name === "MessageOutputLengthError") return { stop: "max_tokens" }
  if (error.name === "ContentFilterError") return { stop: "refusal" }
  return { stop: "error", error: turnError(error) }
}

const stops: Record<string, StopReason> = { length: "max_tokens", "content-filter": "refusal" }

export function turnError(error: NativeError): TurnError {
  const data = record(error.data)
  // What has no words of its own is told as a trace.
  const [said = ""] = (text(data.message) ?? "").split("\n    at ")
  return { code: codeOf(error, data.statusCode), message: said.trim() || error.name }
}

function codeOf({ name, data }: NativeError, status: unknown): FailureCode {
  if (name === "ProviderAuthError") return "authentication_failed"
  if (name === "ContextOverflowError") return "prompt_too_long"
  if (typeof status === "number") return codeOfStatus(status) ?? "invalid_request"
  const said = text(record(data).message) ?? ""
  if (/Model not found|ProviderModelNotFound/.test(said)) return "model_not_found"
  if (/Agent not found/.test(said)) return "mode_not_supported"
  return name === "APIError" ? "connection_failed" : "unknown"
}

/** The same failure a second time, as a stack trace for its developers. */
export const isTrace = ({ data }: NativeError): boolean => (text(record(data).message) ?? "").includes("\n    at ")

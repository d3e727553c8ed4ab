import type { ErrorCode } from "@sandbox-agent/schema/error"
import type { TurnErrorCode } from "@sandbox-agent/schema/turn-error-codes"

/** What a driver may call the failure of a turn; the agent's own words come beside it. */
export type FailureCode = ErrorCode | TurnErrorCode

const statuses: Readonly<Record<number, FailureCode>> = {
  400: "invalid_request",
  401: "authentication_failed",
  402: "billing_error",
  403: "authentication_failed",
  404: "model_not_found",
  413: "prompt_too_long",
  429: "rate_limited",
  529: "overloaded",
}

/** What an HTTP status of a model's provider means for the turn; `undefined` where it says nothing by itself. */
export const codeOfStatus = (status: number): FailureCode | undefined =>
  statuses[status] ?? (status >= 500 ? "server_error" : undefined)

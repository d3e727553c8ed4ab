import type { JsonObject } from "../json.ts"
import type { ErrorPart } from "../part.ts"

const ERRORS: Record<number, { type: string; code: string | null }> = {
  400: { type: "invalid_request_error", code: null },
  401: { type: "invalid_request_error", code: "invalid_api_key" },
  403: { type: "invalid_request_error", code: "permission_denied" },
  404: { type: "invalid_request_error", code: "model_not_found" },
  413: { type: "invalid_request_error", code: "request_too_large" },
  429: { type: "requests", code: "rate_limit_exceeded" },
  // Codex knows an overloaded server by this code.
  503: { type: "server_error", code: "server_is_overloaded" },
  529: { type: "server_error", code: "server_is_overloaded" },
}

export function openaiError(part: ErrorPart): JsonObject {
  const usual = ERRORS[part.status] ?? {
    type: part.status < 500 ? "invalid_request_error" : "server_error",
    code: null,
  }
  const type = part.errorType ?? usual.type
  return { error: { message: part.message, type, param: null, code: part.code ?? part.errorType ?? usual.code } }
}

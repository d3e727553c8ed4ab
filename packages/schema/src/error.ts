import type { z } from "zod"
import type { AgentErrorSchema, ProblemSchema, StderrSchema } from "./problem.ts"

/** The closed list of errors: code, HTTP status, title, and what the reader can do about it. */
export const errors = {
  invalid_request: {
    status: 400,
    title: "Invalid request",
    hint: "Correct the field named in `detail` and send the request again.",
    exit: 2,
  },
  unsupported_agent: { status: 400, title: "Unknown agent", hint: "List the agents with GET /v1/agents.", exit: 2 },
  mode_not_supported: {
    status: 400,
    title: "Mode not supported",
    hint: "List the modes with GET /v1/agents/{agent}/modes.",
    exit: 2,
  },
  token_invalid: {
    status: 401,
    title: "Token missing or wrong",
    hint: "Send `Authorization: Bearer <token>`; the daemon printed it at start, and `sandbox-agent daemon token` prints it on its machine.",
    exit: 3,
  },
  permission_denied: {
    status: 403,
    title: "Not permitted",
    hint: "Refused by permission mode, Host/Origin check or configuration; `detail` says which.",
    exit: 3,
  },
  agent_not_installed: {
    status: 404,
    title: "Agent not installed",
    hint: "Install it with POST /v1/agents/{agent}/install.",
    exit: 4,
  },
  session_not_found: {
    status: 404,
    title: "Session not found",
    hint: "List the sessions with GET /v1/sessions.",
    exit: 4,
  },
  not_found: { status: 404, title: "Not found", hint: "See /docs for what this daemon serves.", exit: 4 },
  method_not_allowed: {
    status: 405,
    title: "Method not allowed",
    hint: "Use a method from the Allow header.",
    exit: 2,
  },
  not_acceptable: { status: 406, title: "Not acceptable", hint: "Ask for the media type named in `detail`.", exit: 2 },
  session_already_exists: {
    status: 409,
    title: "Session already exists",
    hint: "Choose another session id, or use the session that exists.",
    exit: 5,
  },
  conflict: {
    status: 409,
    title: "Conflict",
    hint: "`detail` says what was already decided; read the state and decide anew.",
    exit: 5,
  },
  gone: { status: 410, title: "Gone", hint: "Start again from `firstSequence`, or read GET …/items.", exit: 4 },
  precondition_failed: {
    status: 412,
    title: "Precondition failed",
    hint: "The resource changed; read it and try again.",
    exit: 5,
  },
  payload_too_large: {
    status: 413,
    title: "Payload too large",
    hint: "Send less; `limit` names the number of bytes allowed.",
    exit: 2,
  },
  unsupported_media_type: {
    status: 415,
    title: "Unsupported media type",
    hint: "Send JSON with `content-type: application/json`.",
    exit: 2,
  },
  range_not_satisfiable: {
    status: 416,
    title: "Range not satisfiable",
    hint: "Ask for a range within the size of the file.",
    exit: 2,
  },
  too_many_requests: {
    status: 429,
    title: "Too many requests",
    hint: "`limit` is how many there may be at once: end one, or try again when one has ended.",
    exit: 6,
  },
  install_failed: {
    status: 500,
    title: "Install failed",
    hint: "`detail` says what was tried; check the network or a mirror setting.",
    exit: 7,
  },
  agent_process_exited: {
    status: 500,
    title: "Agent process exited",
    hint: "See `stderr`; the next message starts the agent again.",
    exit: 7,
  },
  internal: {
    status: 500,
    title: "Internal error",
    hint: "A fault of the daemon: see its log for `requestId`.",
    exit: 70,
  },
  not_supported: {
    status: 501,
    title: "This agent cannot",
    hint: "See `capabilities` in GET /v1/agents/{agent}.",
    exit: 8,
  },
  insufficient_storage: {
    status: 507,
    title: "No room left",
    hint: "Free some space on the disk that holds the path, and try again.",
    exit: 7,
  },
  stream_error: { status: 502, title: "Stream error", hint: "Connect again from the last sequence seen.", exit: 7 },
  unavailable: { status: 503, title: "Unavailable", hint: "Try again later; `detail` says what is missing.", exit: 9 },
  timeout: { status: 504, title: "Timed out", hint: "The agent did not answer in time; try again.", exit: 9 },
} as const

export type ErrorCode = keyof typeof errors
export const errorCodes = Object.keys(errors) as [ErrorCode, ...ErrorCode[]]
export type Stderr = z.infer<typeof StderrSchema>
export type AgentError = z.infer<typeof AgentErrorSchema>
export type Problem = z.infer<typeof ProblemSchema>

export const problemType = (code: ErrorCode): string => `urn:sandbox-agent:error:${code}`

export function errorCodeOfType(type: string): ErrorCode | undefined {
  return errorCodes.find((code) => type === problemType(code))
}

const marker = Symbol.for("sandboxagent.dev/error")

/** The one error the domain throws. Faces map it at their edge; the marker survives two copies of this package. */
export class SandboxAgentError extends Error {
  readonly [marker] = true
  constructor(
    readonly code: ErrorCode,
    readonly detail: string,
    readonly context: Readonly<Record<string, unknown>> = {},
  ) {
    super(detail)
    this.name = "SandboxAgentError"
  }

  static is(value: unknown): value is SandboxAgentError {
    return typeof value === "object" && value !== null && marker in value
  }

  toAgentError(agent?: string, sessionId?: string): AgentError {
    const { exitCode, signal, stderr, hint } = this.context as Partial<AgentError>
    return {
      code: this.code,
      message: this.detail,
      agent,
      sessionId,
      exitCode,
      signal,
      stderr,
      hint: hint ?? errors[this.code].hint,
    }
  }

  toProblem(requestId?: string): Problem {
    const { status, title, hint } = errors[this.code]
    const standard = { type: problemType(this.code), title, status, detail: this.detail }
    // Context stands beside the fields of RFC 7807, never over them. One that a daemon told keeps the number of its request.
    return { ...standard, hint, ...this.context, ...standard, ...(requestId !== undefined && { requestId }) }
  }
}

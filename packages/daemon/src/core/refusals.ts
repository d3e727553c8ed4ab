import { type ErrorCode, SandboxAgentError } from "@sandbox-agent/schema/error"

/** What was asked for cannot be had. Everything else says that the agent cannot be used now, which can be cured. */
const codes: readonly ErrorCode[] = ["invalid_request", "mode_not_supported", "not_supported", "permission_denied"]

export const isRefusal = (error: unknown): error is SandboxAgentError =>
  SandboxAgentError.is(error) && codes.includes(error.code)

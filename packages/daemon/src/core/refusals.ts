import { type ErrorCode, SandboxAgentError } from "@sandbox-agent/schema/error"
import { VersionNotSupported } from "./programs.ts"

/** What was asked for cannot be had. Everything else says that the agent cannot be used now, which can be cured. */
const codes: readonly ErrorCode[] = ["invalid_request", "mode_not_supported", "not_supported", "permission_denied"]

/** A version that was found, and not asked for, is cured by installing another. */
const canBeCured = (error: unknown): boolean =>
  error instanceof VersionNotSupported && error.context.option === undefined

export const isRefusal = (error: unknown): error is SandboxAgentError =>
  SandboxAgentError.is(error) && codes.includes(error.code) && !canBeCured(error)

import { type ErrorCode, errors, SandboxAgentError } from "@sandbox-agent/schema/error"
import { fullDisk } from "../../../core/full-disk.ts"

export interface RpcError {
  code: number
  message: string
  data?: Record<string, unknown>
}

export const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  authRequired: -32000,
  notFound: -32002,
  cancelled: -32800,
} as const

/** Our closed list in the few words that JSON-RPC and ACP have; the exact code travels in `data.code`. */
export const codeOf: Record<ErrorCode, number> = {
  invalid_request: rpcCodes.invalidParams,
  unsupported_agent: rpcCodes.invalidParams,
  mode_not_supported: rpcCodes.invalidParams,
  payload_too_large: rpcCodes.invalidParams,
  range_not_satisfiable: rpcCodes.invalidParams,
  token_invalid: rpcCodes.authRequired,
  permission_denied: rpcCodes.invalidRequest,
  not_acceptable: rpcCodes.invalidRequest,
  unsupported_media_type: rpcCodes.invalidRequest,
  session_already_exists: rpcCodes.invalidRequest,
  conflict: rpcCodes.invalidRequest,
  precondition_failed: rpcCodes.invalidRequest,
  agent_not_installed: rpcCodes.notFound,
  session_not_found: rpcCodes.notFound,
  not_found: rpcCodes.notFound,
  gone: rpcCodes.notFound,
  method_not_allowed: rpcCodes.methodNotFound,
  not_supported: rpcCodes.methodNotFound,
  too_many_requests: rpcCodes.internal,
  install_failed: rpcCodes.internal,
  agent_process_exited: rpcCodes.internal,
  internal: rpcCodes.internal,
  insufficient_storage: rpcCodes.internal,
  stream_error: rpcCodes.internal,
  unavailable: rpcCodes.internal,
  timeout: rpcCodes.internal,
}

/** Words of agents beside our own that say: log in first. */
const authCodes: readonly string[] = ["authentication_failed", "authentication_required", "auth_required"]

/** The JSON-RPC code of an error that may come from an agent and then has a code of the agent's own. */
export function rpcCodeOf(code: string): number {
  if (authCodes.includes(code)) return rpcCodes.authRequired
  return Object.hasOwn(codeOf, code) ? codeOf[code as ErrorCode] : rpcCodes.internal
}

/** Anything thrown, as the error of a response. What is not ours says nothing of the inside. */
export function rpcError(error: unknown): RpcError {
  const known = SandboxAgentError.is(error) ? error : fullDisk(error)
  if (known === undefined)
    return { code: rpcCodes.internal, message: errors.internal.title, data: { code: "internal" } }
  const { code, detail, context } = known
  return { code: codeOf[code], message: detail, data: { hint: errors[code].hint, ...context, code } }
}

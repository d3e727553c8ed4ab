import { AcpError, AcpHttpError, AcpRpcError } from "acp-http-client"
import { isSandboxAgentError, NotConnectedError, ProblemError, SandboxAgentError, SessionCallError } from "../errors.ts"
import { readProblem } from "../http/http.ts"

/** A failure of the connection in the words of this package. */
export function failureOf(what: string, error: unknown): SandboxAgentError {
  if (isSandboxAgentError(error)) return error
  const words = `${what}: ${error instanceof Error ? error.message : String(error)}`
  if (error instanceof AcpRpcError) return new SessionCallError(words, codeIn(error.data), detailsIn(error.data), error)
  if (error instanceof AcpHttpError)
    return new ProblemError(what, error.status, error.body, readProblem(error.body), error.retryAfterMs)
  // What could not be asked for at all was found out here.
  if (error instanceof AcpError && isSandboxAgentError(error.cause)) return error.cause
  if (!(error instanceof AcpError)) return new SandboxAgentError("protocol", words, error)
  switch (error.kind) {
    case "closed":
    case "lost":
    case "state":
      return new NotConnectedError(`${words}: call connect() again`, error)
    case "network":
    case "answer_lost":
      return new SandboxAgentError("network", words, error)
    case "timeout":
    case "aborted":
    case "argument":
      return new SandboxAgentError(error.kind, words, error)
    default:
      return new SandboxAgentError("protocol", words, error)
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

function codeIn(data: unknown): string | undefined {
  return isObject(data) && typeof data.code === "string" ? data.code : undefined
}

const detailsIn = (data: unknown): Record<string, unknown> => (isObject(data) ? data : {})

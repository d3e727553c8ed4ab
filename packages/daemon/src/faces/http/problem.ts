import { errors, SandboxAgentError } from "@sandbox-agent/schema/error"
import { fullDisk } from "../../core/full-disk.ts"
import { isCorrupt, StoreDamaged } from "../../store/damage.ts"

/** The one place where errors become HTTP. */
export function problemResponse(
  error: SandboxAgentError,
  requestId: string,
  headers?: Record<string, string>,
): Response {
  return new Response(JSON.stringify(error.toProblem(requestId)), {
    status: errors[error.code].status,
    headers: { "content-type": "application/problem+json", "cache-control": "no-store", ...headers },
  })
}

/** Whatever was thrown, as an error of the closed list. What is not ours is `internal` and tells nothing of its inside. */
export function asError(thrown: unknown, report: (thrown: unknown) => void): SandboxAgentError {
  if (SandboxAgentError.is(thrown)) return thrown
  const full = fullDisk(thrown)
  if (full !== undefined) return full
  report(thrown)
  if (isCorrupt(thrown)) return new StoreDamaged("what is stored of this is damaged")
  return new SandboxAgentError("internal", "the daemon failed to handle this request")
}

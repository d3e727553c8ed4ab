import { join } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"

/** The one file that holds everything but the agents' homes. */
export const databasePath = (directory: string): string => join(directory, "sandbox-agent.db")

/** Why a data directory cannot be used, in words for whoever started the daemon; other errors as they are. */
export function openError(error: unknown, directory: string): unknown {
  if (!(error instanceof Error) || SandboxAgentError.is(error)) return error
  const code = "code" in error ? String(error.code) : ""
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code))
    return new SandboxAgentError(
      "unavailable",
      `${databasePath(directory)} is damaged or not a database (${error.message}); it was left as it is: restore a copy of it, or choose another --data-dir`,
    )
  if (/^(SQLITE_(CANTOPEN|FULL|IOERR|PERM|READONLY)|E[A-Z]+$)/.test(code))
    return new SandboxAgentError(
      "unavailable",
      `the data directory ${directory} cannot be used (${error.message}); make it a writable folder with room, or choose another --data-dir`,
    )
  return error
}

import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Exit } from "../../core/driver.ts"

/** Why the server did not start or went away: the reason is in the last words of its stderr. */
export function exited({ code, signal, stderr, message }: Exit): SandboxAgentError {
  const said = [stderr?.head, stderr?.tail].filter((text) => text !== undefined).join("\n")
  const how = message ?? `codex ended with ${signal ?? `code ${code}`}`
  const last = said.trim().split("\n").at(-1)
  const context = { exitCode: code, signal, stderr }
  return new SandboxAgentError("agent_process_exited", last ? `${how}: ${last}` : how, context)
}

import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Exit } from "../../core/driver.ts"

/** Why OpenCode did not start. */
export function exited({ code, signal, stderr, message }: Exit): SandboxAgentError {
  const said = [stderr?.head, stderr?.tail]
    .filter((text) => text !== undefined)
    .join("\n")
    .trim()
  const how = message ?? `opencode serve ended with ${signal ?? `code ${code}`}`
  const last = said.split("\n").at(-1)
  const context = { exitCode: code, signal, stderr }
  return new SandboxAgentError("agent_process_exited", last ? `${how}: ${last}` : how, context)
}

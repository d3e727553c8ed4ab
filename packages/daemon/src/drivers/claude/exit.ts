import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { type Exit, MemoryGone } from "../../core/driver.ts"

/** Why Claude Code did not start or went away: what it cannot say in its protocol it says on stderr. */
export function exited({ code, signal, stderr, message }: Exit): SandboxAgentError {
  const said = [stderr?.head, stderr?.tail].filter((text) => text !== undefined).join("\n")
  const context = { exitCode: code, signal, stderr }
  const unknown = /No conversation found with session ID: \S+/.exec(said)?.[0]
  if (unknown !== undefined) return new MemoryGone(`Claude Code: ${unknown}`, context)
  const taken = /Session ID \S+ is already in use/.exec(said)?.[0]
  if (taken !== undefined) return new SandboxAgentError("conflict", `Claude Code: ${taken}`, context)
  const how = message ?? `claude ended with ${signal ?? `code ${code}`}`
  const last = said.trim().split("\n").at(-1)
  return new SandboxAgentError("agent_process_exited", last ? `${how}: ${last}` : how, context)
}

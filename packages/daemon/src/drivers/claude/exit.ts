import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { MemoryGone } from "../../core/driver.ts"
import type { Exit } from "../../core/driver-sink.ts"
import { exitContext, exited, stderrOf } from "../shared/exited.ts"

/** Why Claude Code did not start or went away: what it cannot say in its protocol it says on stderr. */
export function claudeExited(exit: Exit): SandboxAgentError {
  const said = stderrOf(exit)
  const context = exitContext(exit)
  const unknown = /No conversation found with session ID: \S+/.exec(said)?.[0]
  if (unknown !== undefined) return new MemoryGone(`Claude Code: ${unknown}`, context)
  const taken = /Session ID \S+ is already in use/.exec(said)?.[0]
  if (taken !== undefined) return new SandboxAgentError("conflict", `Claude Code: ${taken}`, context)
  return exited("claude", exit)
}

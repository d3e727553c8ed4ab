import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Exit } from "../../core/driver-sink.ts"

/** All that was kept of what a process said on stderr. */
export const stderrOf = ({ stderr }: Exit): string =>
  [stderr?.head, stderr?.tail].filter((text) => text !== undefined).join("\n")

/** How a process ended, as the context of an error. */
export const exitContext = ({ code, signal, stderr }: Exit) => ({ exitCode: code, signal, stderr })

/** Why an agent did not start or went away: the reason is in the last words of its stderr. */
export function exited(program: string, exit: Exit): SandboxAgentError {
  const { code, signal, message } = exit
  const how = message ?? `${program} ended with ${signal ?? `code ${code}`}`
  const last = stderrOf(exit).trim().split("\n").at(-1)
  return new SandboxAgentError("agent_process_exited", last ? `${how}: ${last}` : how, exitContext(exit))
}

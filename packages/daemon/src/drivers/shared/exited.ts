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
  const reason = reasonIn(stderrOf(exit))
  return new SandboxAgentError("agent_process_exited", reason ? `${how}: ${reason}` : how, exitContext(exit))
}

/** What runtimes write behind the error itself: its trace, its fields, their own version. */
const behind = /^\s+at |^\s*[\]}^]|^\s+\w+: .*[,[{]?$|^(?:Node\.js|Bun) v\d/
const thrown = /^(?:Uncaught )?(?:[A-Z]\w*(?:Error|Exception)|Error|error)(?: \[\w+\])?: /

/** The line that says why: the last one, or the error above the trace that ends it. */
export function reasonIn(said: string): string | undefined {
  const lines = said.split("\n").filter((line) => line.trim() !== "")
  const last = lines.at(-1)
  if (last === undefined || !behind.test(last)) return last?.trim()
  return (lines.findLast((line) => thrown.test(line)) ?? lines.findLast((line) => !behind.test(line)) ?? last).trim()
}

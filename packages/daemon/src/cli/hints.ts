import { type ErrorCode, errorCodeOfType, errors, type Problem } from "@sandbox-agent/schema/error"
import { kebabCase } from "./flag.ts"

type Words = (problem: Problem) => string | undefined
const none: Words = () => undefined

const agentOf = ({ agent }: Problem): string => (typeof agent === "string" ? agent : "<agent>")

/** What to do, where an error has no words of its own for it: the general ones are for who speaks HTTP. */
const words: Partial<Record<ErrorCode, Words>> = {
  invalid_request: none,
  unsupported_agent: () => "`sandbox-agent agents list` names them",
  mode_not_supported: (problem) => `\`sandbox-agent agents modes ${agentOf(problem)}\` names them`,
  token_invalid: () =>
    "give --token or set SANDBOX_AGENT_TOKEN; `sandbox-agent daemon token` prints that of the daemon on this machine",
  agent_not_installed: (problem) => `install it with \`sandbox-agent install-agent ${agentOf(problem)}\``,
  session_not_found: () => "`sandbox-agent sessions list` names them",
  session_already_exists: ({ sessionId = "<id>" }) =>
    `choose another id, or go on with \`sandbox-agent attach ${sessionId}\``,
  // The one conflict that has a command of its own to go on with.
  conflict: ({ detail, sessionId = "<id>" }) =>
    / has ended\b/.test(detail) ? `\`sandbox-agent sessions resume ${sessionId}\` brings it back` : undefined,
  not_found: none,
  gone: ({ firstSequence }) =>
    firstSequence === undefined ? undefined : `what is kept begins behind \`--offset ${Number(firstSequence) - 1}\``,
  not_supported: (problem) => `\`sandbox-agent agents get ${agentOf(problem)}\` tells what it can do`,
  agent_process_exited: () => "the next message starts it again",
  unavailable: none,
  internal: () => "`sandbox-agent daemon logs` may tell more",
}

/** Errors of these are about one daemon, and people run several. */
const ofDaemon: readonly ErrorCode[] = [
  "token_invalid",
  "session_not_found",
  "unsupported_agent",
  "agent_not_installed",
]

/** A problem in the words of the command line: its flags, its commands, and which daemon said so. */
export function forPeople(problem: Problem): { message: string; hint: string | undefined } {
  const code = errorCodeOfType(problem.type) ?? "internal"
  const { title, hint: general } = errors[code]
  const flags = problem.detail.replace(/^(?:body\.|query[ .])(\w+)(?=:)/, (_, field: string) => `--${kebabCase(field)}`)
  const detail = flags.replace(/^directory:/, "--directory:")
  const at = typeof problem.endpoint === "string" && ofDaemon.includes(code) ? ` (${problem.endpoint})` : ""
  const own = problem.hint === general ? (words[code] ?? (() => general))(problem) : problem.hint
  return { message: `${code === "internal" ? `${title}: ` : ""}${detail}${at}`, hint: own }
}

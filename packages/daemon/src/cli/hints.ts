import { type ErrorCode, errorCodeOfType, errors, type Problem } from "@sandbox-agent/schema/error"
import { kebabCase } from "./flag.ts"

type Words = (problem: Problem) => string | undefined
const none: Words = () => undefined

const agentOf = ({ agent }: Problem): string => (typeof agent === "string" ? agent : "<agent>")

/** Names that are told at once; of more, what names them all. */
const shownNames = 12

/** What could have been named: for who has no daemon to ask. */
export function listed({ agents, modes, models, variants }: Record<string, unknown>): string | undefined {
  const names = [agents, modes, models, variants].find((list) => Array.isArray(list) && list.length > 0)
  if (!Array.isArray(names)) return undefined
  const more = names.length > shownNames ? ` and ${names.length - shownNames} more` : ""
  return `there are ${names.slice(0, shownNames).join(", ")}${more}`
}

/** A token that was kept is mostly that of a daemon from before. */
function tokenWords({ tokenFrom }: Problem): string {
  if (tokenFrom === "SANDBOX_AGENT_TOKEN")
    return "SANDBOX_AGENT_TOKEN has another one; for the daemon on this machine `unset SANDBOX_AGENT_TOKEN` is enough, and `sandbox-agent daemon token` prints its token"
  if (tokenFrom === "--token")
    return "--token was another one; the daemon on this machine needs none to be given, and `sandbox-agent daemon token` prints its token"
  return "give --token or set SANDBOX_AGENT_TOKEN; `sandbox-agent daemon token` prints that of the daemon on this machine"
}

/** What to do, where an error has no words of its own for it: the general ones are for who speaks HTTP. */
const words: Partial<Record<ErrorCode, Words>> = {
  invalid_request: listed,
  unsupported_agent: (problem) => listed(problem) ?? "`sandbox-agent agents list` names them",
  mode_not_supported: (problem) => listed(problem) ?? `\`sandbox-agent agents modes ${agentOf(problem)}\` names them`,
  token_invalid: tokenWords,
  agent_not_installed: (problem) => `install it with \`sandbox-agent install-agent ${agentOf(problem)}\``,
  session_not_found: () => "`sandbox-agent sessions list` names them",
  session_already_exists: ({ sessionId = "<id>" }) =>
    `choose another id, or go on with \`sandbox-agent attach ${sessionId}\``,
  // The one conflict that has a command of its own to go on with.
  conflict: ({ detail, sessionId = "<id>" }) =>
    / has ended\b/.test(detail) ? `\`sandbox-agent sessions resume ${sessionId}\` brings it back` : undefined,
  not_found: none,
  permission_denied: none,
  payload_too_large: ({ limit }) => (limit === undefined ? undefined : `at most ${limit} bytes are taken`),
  too_many_requests: () => "end one, or try again when one has ended",
  install_failed: () => "check the network; `sandbox-agent help environment` names the settings of mirrors",
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

/** Hints of the daemon are for who speaks HTTP: what they say of its answers and bodies is not seen here. */
export const ofTerminal = (hint: string): string =>
  hint
    .replace(/`detail` [^;.]*[;.] */, "")
    .replace(/in `(?:--)?env` of the session \((`--env [^`]*`)\)/, "with $1")
    .replace(/in `(?:--)?env` of the session/, "with `--env`")

/** The same where there is no session that could have a next message. */
export const withoutNext = (hint: string): string => hint.replace(/ ?The next message looks again\./, "")

/** A problem in the words of the command line: its flags, its commands, and which daemon said so. */
export function forPeople(problem: Problem): { message: string; hint: string | undefined } {
  const code = errorCodeOfType(problem.type) ?? "internal"
  const { title, hint: general } = errors[code]
  const flags = problem.detail.replace(/^(?:body\.|query[ .])(\w+)(?=:)/, (_, field: string) => `--${kebabCase(field)}`)
  const detail = flags.replace(/^directory:/, "--directory:")
  const at = typeof problem.endpoint === "string" && ofDaemon.includes(code) ? ` (${problem.endpoint})` : ""
  const own = problem.hint === general ? (words[code] ?? (() => general))(problem) : problem.hint
  return { message: `${code === "internal" ? `${title}: ` : ""}${detail}${at}`, hint: own && ofTerminal(own) }
}

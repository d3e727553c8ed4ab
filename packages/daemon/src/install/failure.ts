import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { AgentEntry, SourceName } from "./entry.ts"

/** Why one source did not deliver. `offline`: asking it again for another version makes no sense. */
export type FailureKind =
  | "offline"
  | "missing"
  | "platform"
  | "integrity"
  | "timeout"
  | "too_large"
  | "broken"
  | "unsupported"

export class SourceFailure extends Error {
  constructor(
    readonly kind: FailureKind,
    message: string,
  ) {
    super(scrub(message))
    this.name = "SourceFailure"
  }
}

export interface Tried {
  source: SourceName
  /** Package and version, or address. */
  what: string
  kind: FailureKind
  error: string
}

/** Addresses carry credentials in front of the host and in the query; configuration lines carry tokens. */
export function scrub(text: string): string {
  return text
    .replace(/([a-z][a-z0-9+.-]*:\/\/)[^\s/@'"]+@/gi, "$1***@")
    .replace(/([a-z][a-z0-9+.-]*:\/\/[^\s?#'"]+)\?[^\s#'"]+/gi, "$1?…")
    .replace(/((?:_authToken|_password|_auth|Bearer|Basic)["']?\s*[=: ]\s*)\S+/gi, "$1***")
}

/** `SANDBOX_AGENT_MIRROR_CLAUDE`, `…_GITHUB`, `…_GITHUB_API`, `…_AMP`. */
export function mirrorVariable(base: string): string {
  return `SANDBOX_AGENT_MIRROR_${base.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
}

/** An agent that only its makers install, or a command that somebody added. */
function notThere(agent: string, binary: string): SandboxAgentError {
  const isPath = binary.includes("/")
  const where = isPath ? `there is no program ${binary}` : `\`${binary}\` is not on the PATH of the daemon`
  const hint = isPath
    ? `Put the program there, or add the agent anew with \`sandbox-agent agents add --id ${agent}\`.`
    : `Install it as its makers say, so that \`${binary}\` is on PATH.`
  const message = `${agent} is not installed, and is not known to be installable from here: ${where}`
  return new SandboxAgentError("install_failed", message, { agent, tried: [], hint })
}

/** One source on one line; what failed often begins with what was asked for. */
export const triedText = ({ source, what, error }: Tried): string =>
  `${source} ${what}: ${error
    .replace(`${what}: `, "")
    .trim()
    .replaceAll(/\s*\n\s*/g, "; ")}`

export function installFailed(entry: AgentEntry, tried: readonly Tried[]): SandboxAgentError {
  const { agent, binary, vendor } = entry
  if (tried.length === 0) return notThere(agent, binary)
  const list = tried.map((one) => `\n- ${triedText(one)}`).join("")
  const offline = tried.every(({ kind }) => kind === "offline" || kind === "timeout")
  const why = offline ? "no source could be reached" : "no source delivered it"
  const mirrors = [
    "the registry in ~/.npmrc or npm_config_registry",
    ...(vendor?.base ? [mirrorVariable(vendor.base)] : []),
  ]
  return new SandboxAgentError("install_failed", `${agent} could not be installed, ${why}. Tried:${list}`, {
    agent,
    tried,
    hint: hintOfDisk(list) ?? `Set a mirror (${mirrors.join(", ")}), or put \`${binary}\` on PATH.`,
  })
}

/** What helps where the disk is what failed: no mirror does. */
export function hintOfDisk(words: string): string | undefined {
  if (/ENOSPC|EDQUOT|no space left|disk is full/i.test(words)) return "Make room on the disk of the data directory."
  return /EROFS/.test(words) ? "Choose a --data-dir that can be written." : undefined
}

/** What kind of failure an error of `fetch` or of the file system is. */
export function failureOf(error: unknown, what: string): SourceFailure {
  if (error instanceof SourceFailure) return error
  const code = error instanceof Error && "code" in error ? String(error.code) : ""
  const message = error instanceof Error ? error.message : String(error)
  const network = /ConnectionRefused|ECONN|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|DNS|Unable to connect|socket/i
  if (network.test(`${code} ${message}`)) return new SourceFailure("offline", `${what}: cannot be reached (${message})`)
  if (/CERT|TLS|SSL/i.test(`${code} ${message}`)) return new SourceFailure("offline", `${what}: ${message}`)
  return new SourceFailure("broken", `${what}: ${message}`)
}

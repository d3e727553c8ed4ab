import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { shellWord } from "@sandbox-agent/schema/shell-word"
import { askToken } from "./ask-token.ts"
import { resolveServerConfig } from "./config.ts"
import { defaultDataDir, type Environment } from "./config-file.ts"
import { pathOf } from "./config-value.ts"
import { type DaemonRecord, liveDaemon } from "./daemon-file.ts"
import { lastOf, type Parsed } from "./parse.ts"
import { tokenAllowed, tokenPattern } from "./server-flags.ts"
import { UsageError } from "./usage.ts"

/** Where the daemon is and what opens it. */
export interface Connection {
  readonly endpoint: string
  readonly token: string | undefined
  /** For who is told that it is wrong. */
  readonly tokenFrom?: "--token" | "SANDBOX_AGENT_TOKEN" | undefined
  /** Of a daemon that belongs to this command. */
  readonly own?: boolean
}

export const defaultEndpoint = "http://127.0.0.1:2468"

/** The address that was named; a data directory that is named by a flag means its daemon, whatever the environment says. */
export function namedEndpoint(parsed: Parsed, env: Environment): string | undefined {
  const isElsewhere = lastOf(parsed, "data-dir") === undefined
  return lastOf(parsed, "endpoint") ?? (isElsewhere ? env.SANDBOX_AGENT_URL || undefined : undefined)
}

/** Flags over environment over the running daemon of the data directory over the default. */
export async function connectionOf(parsed: Parsed, env: Environment): Promise<Connection> {
  const named = namedEndpoint(parsed, env)
  const given = givenToken(parsed, env)
  if (named !== undefined && given.token !== undefined) return { endpoint: checked(named), ...given }
  const dataDir = dataDirFor(parsed, env)
  const daemon = liveDaemon(dataDir)
  if (named === undefined && daemon === undefined && lastOf(parsed, "data-dir") !== undefined)
    throw new SandboxAgentError("unavailable", `no daemon runs on ${dataDir}`, {
      hint: `start it with \`sandbox-agent daemon start --data-dir ${shellWord(dataDir)}\``,
    })
  const endpoint = checked(named ?? daemon?.url ?? defaultEndpoint)
  // The local daemon's token goes to the local daemon only.
  const isLocal = daemon?.tokenNeeded === true && sameOrigin(endpoint, daemon.url)
  if (given.token !== undefined || !isLocal) return { endpoint, ...given }
  return { endpoint, token: await askToken(dataDir) }
}

/** That of the environment is not for the daemon of another data directory, which tells its own. */
function givenToken(parsed: Parsed, env: Environment): Pick<Connection, "token" | "tokenFrom"> {
  const flag = lastOf(parsed, "token")
  if (flag !== undefined) return { token: sendable(flag, "--token"), tokenFrom: "--token" }
  const variable = lastOf(parsed, "data-dir") === undefined ? env.SANDBOX_AGENT_TOKEN || undefined : undefined
  if (variable === undefined) return { token: undefined }
  return { token: sendable(variable, "SANDBOX_AGENT_TOKEN"), tokenFrom: "SANDBOX_AGENT_TOKEN" }
}

/** One that was read from a file may end as a line does. What no daemon takes is not sent, and not told: it may be a token all the same. */
function sendable(given: string, name: string): string {
  const token = given.trim()
  if (token !== "" && !tokenPattern.test(token))
    throw new UsageError(`${name}: this value is not allowed; allowed: ${tokenAllowed}`)
  return token
}

/** The daemon that commands would speak to without being told its address. */
export const runningDaemon = (parsed: Parsed, env: Environment): DaemonRecord | undefined =>
  liveDaemon(dataDirFor(parsed, env))

/** Where `daemon start` keeps its data; other settings that it would refuse are no reason to look elsewhere. */
function dataDirFor(parsed: Parsed, env: Environment): string {
  const given = lastOf(parsed, "data-dir")
  if (given === "") throw new UsageError("--data-dir is empty")
  if (given !== undefined) return pathOf(given, process.cwd())
  try {
    return resolveServerConfig([], env).dataDir
  } catch {
    return env.SANDBOX_AGENT_DATA_DIR ? pathOf(env.SANDBOX_AGENT_DATA_DIR, process.cwd()) : defaultDataDir(env)
  }
}

const sameOrigin = (a: string, b: string): boolean => URL.canParse(b) && new URL(a).origin === new URL(b).origin

function checked(endpoint: string): string {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(
      `the endpoint ${JSON.stringify(endpoint)} is not an http or https URL, such as ${defaultEndpoint}`,
    )
  return endpoint.replace(/[/?#]+$/, "")
}

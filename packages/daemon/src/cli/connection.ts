import { askToken } from "./ask-token.ts"
import { resolveServerConfig } from "./config.ts"
import { defaultDataDir, type Environment } from "./config-file.ts"
import { type DaemonRecord, liveDaemon } from "./daemon-file.ts"
import { lastOf, type Parsed } from "./parse.ts"
import { UsageError } from "./usage.ts"

/** Where the daemon is and what opens it. */
export interface Connection {
  readonly endpoint: string
  readonly token: string | undefined
}

export const defaultEndpoint = "http://127.0.0.1:2468"

/** Flags over environment over the running daemon of the data directory over the default. */
export async function connectionOf(parsed: Parsed, env: Environment): Promise<Connection> {
  const named = lastOf(parsed, "endpoint") ?? (env.SANDBOX_AGENT_URL || undefined)
  const token = lastOf(parsed, "token") ?? (env.SANDBOX_AGENT_TOKEN || undefined)
  if (named !== undefined && token !== undefined) return { endpoint: checked(named), token }
  const dataDir = dataDirOf(env)
  const daemon = liveDaemon(dataDir)
  const endpoint = checked(named ?? daemon?.url ?? defaultEndpoint)
  // The local daemon's token goes to the local daemon only.
  const isLocal = daemon?.tokenNeeded === true && sameOrigin(endpoint, daemon.url)
  return { endpoint, token: token ?? (isLocal ? await askToken(dataDir) : undefined) }
}

/** The daemon that the other commands would speak to without being told where it is. */
export const runningDaemon = (env: Environment): DaemonRecord | undefined => liveDaemon(dataDirOf(env))

/** Where `daemon start` without flags keeps its data; settings it would refuse are no reason to fail here. */
function dataDirOf(env: Environment): string {
  try {
    return resolveServerConfig([], env).dataDir
  } catch {
    return defaultDataDir(env)
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

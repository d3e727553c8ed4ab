import { homedir } from "node:os"
import { join, sep } from "node:path"
import { limits } from "@sandbox-agent/schema/limits"
import type { Host, OpenFrom } from "../../core/driver.ts"
import { readIfRegular } from "../../files/regular-file.ts"
import { type Json, record, text } from "../shared/json.ts"
import { shortHash } from "../shared/launcher.ts"
import { keptHome } from "../shared/native-home.ts"

type Env = Readonly<Record<string, string | undefined>>

/** Where a server keeps its threads, and how it reaches its model. */
export interface ServerHome {
  home: string
  env: Record<string, string>
  /** A key it has to be logged in with: it reads none from the environment. Only ever into a home of ours. */
  login?: string
  /** Models that the user's configuration names, whatever provider they are of. */
  models: string[]
  /** Address of the model, for the built-in provider. */
  baseUrl?: string
}

/** Codex's own home under this environment. */
export const userHome = (env: Env): string =>
  env.CODEX_HOME || process.env.CODEX_HOME || join(env.HOME || process.env.HOME || homedir(), ".codex")

/**
 * A key in the environment means a home of ours with that key; else the user's home, with its login and configuration.
 * Where that configuration chooses a provider of its own the key is the provider's matter. A session keeps its home.
 */
export async function serverHomeOf(
  from: OpenFrom,
  given: Env,
  host: Pick<Host, "home" | "reach">,
): Promise<ServerHome> {
  const config = await configOf(userHome(given), host)
  const sessionKey = given.CODEX_API_KEY || given.OPENAI_API_KEY
  const key = sessionKey || process.env.CODEX_API_KEY || process.env.OPENAI_API_KEY
  const home = keptHome(from, host) ?? chosenHome(config, given, sessionKey, key, host)
  const ours = home.startsWith(`${host.home}${sep}`)
  // Another user's configuration is for the agent to write: it would name whatever it wants to know of ours.
  const named = host.reach.reader === undefined ? providerVariables(config) : {}
  const baseUrl = given.OPENAI_BASE_URL || process.env.OPENAI_BASE_URL
  return {
    home,
    models: namedModels(config),
    env: { ...named, ...withoutUndefined(given), CODEX_HOME: home },
    ...(ours && key && { login: key }),
    ...(baseUrl && { baseUrl }),
  }
}

function chosenHome(
  config: Json,
  given: Env,
  sessionKey: string | undefined,
  key: string | undefined,
  host: Pick<Host, "home">,
): string {
  const provider = text(config.model_provider) ?? "openai"
  if (!key || provider !== "openai") return userHome(given)
  return sessionKey ? join(host.home, "homes", shortHash(sessionKey)) : join(host.home, "home")
}

const namedModels = (config: Json): string[] =>
  [config, ...Object.values(record(config.profiles)).map(record)].flatMap(({ model }) => text(model) ?? [])

/** Variables that the user's configuration names for keys: the daemon hands down none it does not know of. */
function providerVariables(config: Json): Record<string, string> {
  const providers = Object.values(record(config.model_providers)).map(record)
  const names = providers.flatMap(({ env_key, env_http_headers }) => [
    env_key,
    ...Object.values(record(env_http_headers)),
  ])
  const found = names.flatMap((name) => {
    const value = text(name) === undefined ? undefined : process.env[String(name)]
    return value === undefined ? [] : [[String(name), value]]
  })
  return Object.fromEntries(found)
}

async function configOf(home: string, { reach }: Pick<Host, "reach">): Promise<Json> {
  const file = await readIfRegular(join(home, "config.toml"), limits.settingsFileBytes, reach)
  try {
    return record(Bun.TOML.parse(file?.toString("utf8") ?? ""))
  } catch {
    return {} // a fault that Codex itself tells when it starts
  }
}

const withoutUndefined = (env: Env): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined))

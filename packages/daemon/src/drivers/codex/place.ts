import { homedir } from "node:os"
import { join, sep } from "node:path"
import { limits } from "@sandbox-agent/schema/limits"
import type { Host, OpenFrom } from "../../core/driver.ts"
import { readIfRegular } from "../../files/regular-file.ts"
import { asTable, shortHash, type Table, textIn } from "./values.ts"

type Env = Readonly<Record<string, string | undefined>>

/** Where a server keeps its threads, and how it reaches its model. */
export interface Place {
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
export async function placeOf(from: OpenFrom, given: Env, host: Pick<Host, "home" | "reach">): Promise<Place> {
  const config = await configOf(userHome(given), host)
  const own = given.CODEX_API_KEY || given.OPENAI_API_KEY
  const key = own || process.env.CODEX_API_KEY || process.env.OPENAI_API_KEY
  const home = keptHome(from, host) ?? chosenHome(config, given, own, key, host)
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

/** The core knows no home for a thread it adopts and gives its own folder. */
function keptHome(from: OpenFrom, host: Pick<Host, "home">): string | undefined {
  if (from.kind === "new" || from.kind === "adopt" || from.ref.home === host.home) return undefined
  return from.ref.home
}

function chosenHome(
  config: Table,
  given: Env,
  own: string | undefined,
  key: string | undefined,
  host: Pick<Host, "home">,
): string {
  const provider = textIn(config.model_provider) ?? "openai"
  if (!key || provider !== "openai") return userHome(given)
  return own ? join(host.home, "homes", shortHash(own)) : join(host.home, "home")
}

const namedModels = (config: Table): string[] =>
  [config, ...Object.values(asTable(config.profiles)).map(asTable)].flatMap(({ model }) => textIn(model) ?? [])

/** Variables that the user's configuration names for keys: the daemon hands down none it does not know of. */
function providerVariables(config: Table): Record<string, string> {
  const providers = Object.values(asTable(config.model_providers)).map(asTable)
  const names = providers.flatMap(({ env_key, env_http_headers }) => [
    env_key,
    ...Object.values(asTable(env_http_headers)),
  ])
  const found = names.flatMap((name) => {
    const value = textIn(name) === undefined ? undefined : process.env[String(name)]
    return value === undefined ? [] : [[String(name), value]]
  })
  return Object.fromEntries(found)
}

async function configOf(home: string, { reach }: Pick<Host, "reach">): Promise<Table> {
  const file = await readIfRegular(join(home, "config.toml"), limits.settingsFileBytes, reach)
  try {
    return asTable(Bun.TOML.parse(file?.toString("utf8") ?? ""))
  } catch {
    return {} // a fault that Codex itself tells when it starts
  }
}

const withoutUndefined = (env: Env): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined))

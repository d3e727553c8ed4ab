import { statSync } from "node:fs"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { defaultConfigFile, defaultDataDir, type Environment, readConfigFile } from "./config-file.ts"
import { type SettingValue, settingValue } from "./config-value.ts"
import { parseFlags } from "./parse.ts"
import { envOf, keyOf, type ServerFlag, type ServerValues, serverFlags } from "./server-flags.ts"
import { UsageError } from "./usage.ts"

/** All settings of the server, checked. `token` unset without `noToken` means: make one and print it. */
export interface ServerConfig extends Omit<ServerValues, "dataDir" | "logFormat"> {
  dataDir: string
  logFormat: "json" | "pretty"
  /** To be shown at start. */
  warnings: string[]
}

/** What agents need of the daemon is here where they run as another user, to whom the data directory is closed. */
export function agentDirOf({ agentUser, agentDir, dataDir }: ServerConfig): string | undefined {
  return agentUser === undefined ? undefined : (agentDir ?? `${dataDir}-${agentUser}`)
}

/** Programs of agents that were named by their path. */
export const agentPathsOf = ({ agentPath }: Pick<ServerConfig, "agentPath">): Record<string, string> =>
  Object.fromEntries(agentPath.map((pair) => pair.split(/=(.*)/s).slice(0, 2)))

/** Values of one layer, by flag name. */
type Layer = ReadonlyMap<string, SettingValue>

/** Flags over environment over config file over defaults. */
export function resolveServerConfig(argv: readonly string[], env: Environment): ServerConfig {
  const flags: readonly ServerFlag[] = serverFlags
  const given = flagLayer(argv)
  const named = environmentLayer(env)
  const path = (given.get("config") ?? named.get("config")) as string | undefined
  const file = readConfigFile(path ?? defaultConfigFile(env), path !== undefined, flags)
  const layers: Layer[] = [given, named, file?.values ?? new Map()]

  const values: Record<string, SettingValue> = {}
  for (const flag of flags) {
    const layer = layers.find((l) => l.has(flag.name))
    const fallback = flag.default ?? (flag.type === "boolean" ? false : flag.type === "list" ? [] : undefined)
    values[keyOf(flag.name)] = layer ? layer.get(flag.name) : fallback
  }
  const config = { ...(values as ServerValues), warnings: file?.warnings ?? [] }
  return settle({
    ...config,
    ...tokenChoice(layers),
    dataDir: config.dataDir ?? defaultDataDir(env),
    logFormat: config.logFormat ?? (process.stderr.isTTY ? "pretty" : "json"),
  })
}

/** The agent for those who name none; settings that the server would refuse name none either. */
export function defaultAgentOf(env: Environment): string | undefined {
  try {
    return resolveServerConfig([], env).defaultAgent
  } catch {
    return undefined
  }
}

function flagLayer(argv: readonly string[]): Layer {
  const { given, positionals } = parseFlags(argv, serverFlags, ["server"])
  if (positionals.length > 0)
    throw new UsageError(
      `\`server\` takes no argument, but \`${positionals[0]}\` was given; flags of a command stand after it`,
      ["server"],
    )
  const layer = new Map<string, SettingValue>()
  for (const { flag, value } of given) {
    const checked = settingValue(flag as ServerFlag, value, { name: `--${flag.name}`, directory: process.cwd() })
    const before = layer.get(flag.name)
    layer.set(flag.name, Array.isArray(before) && Array.isArray(checked) ? [...before, ...checked] : checked)
  }
  return layer
}

function environmentLayer(env: Environment): Layer {
  const layer = new Map<string, SettingValue>()
  for (const flag of serverFlags) {
    const value = env[envOf(flag.name)]
    // An empty variable counts as unset; an empty token opens no door, for then one is made.
    if (value === undefined || value === "") continue
    layer.set(flag.name, settingValue(flag, value, { name: envOf(flag.name), directory: process.cwd() }))
  }
  return layer
}

/** The highest layer that says anything about the token decides about both settings. */
function tokenChoice(layers: Layer[]): Pick<ServerConfig, "token" | "noToken"> {
  const layer = layers.find((l) => l.has("token") || l.get("no-token") === true)
  const token = layer?.get("token") as string | undefined
  const noToken = layer?.get("no-token") === true
  if (token !== undefined && noToken) throw new UsageError("--token and --no-token exclude each other", ["server"])
  return { token, noToken }
}

/** What is named and not there would be found out by the first client that needs it. */
export function assertPlaces({ fsRoot, agentsFile }: Pick<ServerConfig, "fsRoot" | "agentsFile">): void {
  const found = (path: string) => statSync(path, { throwIfNoEntry: false })
  const missing = fsRoot.find((folder) => !found(folder)?.isDirectory())
  if (missing !== undefined) throw refuse(`--fs-root: ${missing} is not a folder`)
  if (agentsFile !== undefined && !found(agentsFile)?.isFile())
    throw refuse(`--agents-file: ${agentsFile} is not a file`)
}

/** What would undo it, or be without effect. */
export function assertAgentUser({ agentUser, agentDir, dataDir, noToken }: ServerConfig): void {
  if (agentUser === undefined && agentDir !== undefined)
    throw refuse("--agent-dir is for --agent-user, and no user is named")
  if (agentUser !== undefined && noToken)
    throw refuse("--agent-user cannot go with --no-token: agents could ask the daemon for what their user may not do")
  if (agentDir !== undefined && isBelow(agentDir, dataDir))
    throw refuse("--agent-dir cannot be in the data directory, which is closed to agents")
}

const isBelow = (path: string, folder: string): boolean => `${path}/`.startsWith(`${folder}/`)

const refuse = (detail: string): SandboxAgentError =>
  new SandboxAgentError("invalid_request", detail, { hint: "see `sandbox-agent help server`" })

const isLoopback = (host: string): boolean => host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host)

/** Settings that are fine alone and wrong together. */
function settle(config: ServerConfig): ServerConfig {
  if (config.noToken && !config.allowOpen && !isLoopback(config.host))
    throw refuse(
      `--no-token with --host ${config.host} lets anyone in; add --allow-open if that is meant, or give --token`,
    )
  if (config.corsAllowCredentials && config.corsAllowOrigin.includes("*"))
    throw refuse("--cors-allow-credentials cannot go with --cors-allow-origin '*': name the origins")
  const { corsAllowCredentials, corsAllowHeader, corsAllowMethod } = config
  const idle = Object.entries({ corsAllowCredentials, corsAllowHeader, corsAllowMethod })
    .filter(([, value]) => (Array.isArray(value) ? value.length > 0 : value))
    .map(([key]) => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`)
  if (config.corsAllowOrigin.length === 0 && idle.length > 0)
    config.warnings.push(`${idle.join(", ")} without --cors-allow-origin: no other page is let in`)
  return config
}

import { readFileSync, statSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, isAbsolute, join } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { parseOfClient } from "@sandbox-agent/schema/json-depth"
import { jsonErrorPosition } from "@sandbox-agent/schema/json-position"
import { shellWord } from "@sandbox-agent/schema/shell-word"
import { didYouMean } from "./closest.ts"
import { type SettingValue, settingValue } from "./config-value.ts"
import { keyOf, type ServerFlag } from "./server-flags.ts"

export type Environment = Readonly<Record<string, string | undefined>>

/** A folder of the XDG base directories; relative values are to be ignored, says the standard. */
function xdg(env: Environment, name: string, fallback: string): string {
  const value = env[name]
  if (value && isAbsolute(value)) return join(value, "sandbox-agent")
  return join(env.HOME || homedir(), fallback, "sandbox-agent")
}
export const defaultDataDir = (env: Environment): string => xdg(env, "XDG_DATA_HOME", ".local/share")
export const defaultConfigFile = (env: Environment): string =>
  join(xdg(env, "XDG_CONFIG_HOME", ".config"), "config.json")

export interface ConfigFile {
  readonly values: ReadonlyMap<string, SettingValue>
  readonly warnings: string[]
}

const bad = (detail: string): SandboxAgentError =>
  new SandboxAgentError("invalid_request", detail, { hint: "see `sandbox-agent help server` for the keys" })

/** Reads the settings of a file; one that was not asked for by name may be absent. */
export function readConfigFile(path: string, named: boolean, flags: readonly ServerFlag[]): ConfigFile | undefined {
  let text: string
  let mode: number
  try {
    text = readFileSync(path, "utf8")
    mode = statSync(path).mode
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (!named && (code === "ENOENT" || code === "ENOTDIR")) return undefined
    throw bad(`config file ${path}: cannot be read (${code ?? String(error)})`)
  }
  const values = new Map<string, SettingValue>()
  const warnings: string[] = []
  const known = flags.filter((flag) => !flag.notInFile)
  for (const [key, value] of Object.entries(parseObject(path, text))) {
    const flag = known.find((f) => keyOf(f.name) === key)
    if (!flag)
      throw bad(
        `config file ${path}: unknown key \`${key}\`${didYouMean(
          key,
          known.map((f) => keyOf(f.name)),
        )}`,
      )
    values.set(
      flag.name,
      settingValue(flag, value, { name: `config file ${path}, key \`${key}\``, directory: dirname(path) }),
    )
  }
  if (values.has("token") && mode & 0o077)
    warnings.push(`${path} holds the token and others can read it; run \`chmod 600 ${shellWord(path)}\``)
  return { values, warnings }
}

function parseObject(path: string, text: string): Record<string, unknown> {
  let parsed: unknown
  try {
    parsed = parseOfClient(text)
  } catch (error) {
    const place = jsonErrorPosition(text)
    if (!place) throw bad(`config file ${path}: not JSON (${String(error)})`)
    throw bad(`config file ${path}, line ${place.line}, column ${place.column}: not JSON: ${place.reason}`)
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    throw bad(`config file ${path}, line 1, column 1: must be a JSON object`)
  return parsed as Record<string, unknown>
}

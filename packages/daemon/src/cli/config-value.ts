import { homedir } from "node:os"
import { resolve } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { ServerFlag } from "./server-flags.ts"

export type SettingValue = string | number | boolean | string[] | undefined

/** Where a value came from: the name used in errors, and the folder its relative paths start from. */
export interface Origin {
  readonly name: string
  readonly directory: string
}

const shown = (flag: ServerFlag, value: unknown): string =>
  flag.name === "token" ? "this value" : String(JSON.stringify(value)).slice(0, 80)

const refuse = (flag: ServerFlag, origin: Origin, value: unknown): SandboxAgentError =>
  new SandboxAgentError(
    "invalid_request",
    `${origin.name}: ${shown(flag, value)} is not allowed; allowed: ${allowedText(flag)}`,
    {
      hint: "see `sandbox-agent help server`",
    },
  )

export function allowedText(flag: ServerFlag): string {
  if (flag.values) return flag.values.join(", ")
  if (flag.type === "boolean") return "true or false"
  if (flag.type !== "number") return flag.allowed ?? (flag.path ? "a path" : "text that is not empty")
  const range =
    flag.max === undefined
      ? `a whole number from ${flag.min ?? 0}`
      : `a whole number from ${flag.min ?? 0} to ${flag.max}`
  return flag.off ? `${range}, or off` : range
}

/** One value from a flag, the environment (text) or the config file (JSON), checked. */
export function settingValue(flag: ServerFlag, value: unknown, origin: Origin): SettingValue {
  switch (flag.type) {
    case "boolean":
      return booleanValue(flag, value, origin)
    case "number":
      return numberValue(flag, value, origin)
    case "list":
      return listValue(flag, value, origin)
    default:
      return textValue(flag, value, origin)
  }
}

function booleanValue(flag: ServerFlag, value: unknown, origin: Origin): boolean {
  if (typeof value === "boolean") return value
  if (typeof value === "string" && /^(true|1|yes|on)$/i.test(value)) return true
  if (typeof value === "string" && /^(false|0|no|off)$/i.test(value)) return false
  throw refuse(flag, origin, value)
}

function numberValue(flag: ServerFlag, value: unknown, origin: Origin): number | undefined {
  if (flag.off && (value === "off" || value === false)) return undefined
  const number = typeof value === "string" && /^\d{1,16}$/.test(value) ? Number(value) : value
  const whole = typeof number === "number" && Number.isSafeInteger(number)
  if (!whole || number < (flag.min ?? 0) || number > (flag.max ?? Number.MAX_SAFE_INTEGER))
    throw refuse(flag, origin, value)
  return number
}

function listValue(flag: ServerFlag, value: unknown, origin: Origin): string[] {
  const parts = typeof value === "string" ? value.split(",").map((part) => part.trim()) : value
  if (!Array.isArray(parts)) throw refuse(flag, origin, value)
  return parts.map((part: unknown) => textValue(flag, part, origin))
}

function textValue(flag: ServerFlag, value: unknown, origin: Origin): string {
  if (typeof value !== "string" || value === "" || value.includes("\0")) throw refuse(flag, origin, value)
  if (flag.values && !flag.values.includes(value)) throw refuse(flag, origin, value)
  if (flag.pattern && !flag.pattern.test(value)) throw refuse(flag, origin, value)
  return flag.path ? pathOf(value, origin.directory) : value
}

/** What no shell has seen, as in `--flag=~/folder`, begins at home all the same. */
export const pathOf = (value: string, directory: string): string =>
  resolve(directory, value === "~" || value.startsWith("~/") ? homedir() + value.slice(1) : value)

import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import { readRegularNow } from "../files/regular-now.ts"

export type Table = Readonly<Record<string, unknown>>

export const isTable = (value: unknown): value is Table =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const tableIn = (value: unknown, key: string): Table => {
  const inner = isTable(value) ? value[key] : undefined
  return isTable(inner) ? inner : {}
}

/** The table in a file; one that is absent is undefined, one that is half written or not ours to read is a note. */
export function readTable(path: string, notes: string[], format: "json" | "toml" = "json"): Table | undefined {
  const text = readText(path, notes)
  return text === undefined ? undefined : parseTable(text, path, notes, format)
}

/** The same of a file that is only text. */
export function readText(path: string, notes: string[]): string | undefined {
  try {
    return readRegularNow(path, limits.settingsFileBytes)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    const why = SandboxAgentError.is(error) ? error.detail : code
    if (code !== "ENOENT" && code !== "ENOTDIR") notes.push(`${path} cannot be read: ${why ?? String(error)}`)
    return undefined
  }
}

export function parseTable(
  text: string,
  name: string,
  notes: string[],
  format: "json" | "toml" = "json",
): Table | undefined {
  if (text.trim() === "") return undefined
  try {
    const value: unknown = format === "toml" ? Bun.TOML.parse(text) : Bun.JSONC.parse(text)
    if (isTable(value)) return value
  } catch {
    // The parser's own words may repeat a secret.
  }
  notes.push(`${name} is not ${format.toUpperCase()}; it may be half written`)
  return undefined
}

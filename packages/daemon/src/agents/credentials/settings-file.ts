import { readFileSync, statSync } from "node:fs"

/** Larger than any file that holds credentials. */
const largest = 8 * 1024 * 1024

export type Table = Readonly<Record<string, unknown>>

export const isTable = (value: unknown): value is Table =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const tableIn = (value: unknown, key: string): Table => {
  const inner = isTable(value) ? value[key] : undefined
  return isTable(inner) ? inner : {}
}

/** The table in a file; one that is absent is undefined, one that is half written or not ours to read is a note. */
export function readTable(path: string, notes: string[], format: "json" | "toml" = "json"): Table | undefined {
  let text: string
  try {
    if (statSync(path).size > largest) throw new Error("it is too large")
    text = readFileSync(path, "utf8")
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code !== "ENOENT" && code !== "ENOTDIR") notes.push(`${path} cannot be read: ${code ?? String(error)}`)
    return undefined
  }
  return parseTable(text, path, notes, format)
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

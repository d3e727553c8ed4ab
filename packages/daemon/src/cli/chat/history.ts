import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** So much is kept of what was typed; a longer paste is not. */
export const keptLines = 500
export const keptChars = 10_000

const fileIn = (dataDir: string): string => join(dataDir, "chat-history.json")

/** What was typed in earlier conversations, the oldest first. */
export function readHistory(dataDir: string): string[] {
  try {
    const lines = JSON.parse(readFileSync(fileIn(dataDir), "utf8")) as unknown
    return Array.isArray(lines) ? lines.filter((line) => typeof line === "string") : []
  } catch {
    // There is none yet, or none that can be read: it is only a convenience.
    return []
  }
}

/** Renamed into place: another conversation may be writing its own. */
export function writeHistory(dataDir: string, lines: readonly string[]): void {
  const file = fileIn(dataDir)
  const draft = `${file}.${process.pid}`
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    writeFileSync(draft, JSON.stringify(bounded(lines)), { mode: 0o600 })
    renameSync(draft, file)
  } catch {
    // A full disk must not keep anybody from leaving.
  }
}

export const bounded = (lines: readonly string[]): string[] =>
  lines.filter((line) => line.length <= keptChars).slice(-keptLines)

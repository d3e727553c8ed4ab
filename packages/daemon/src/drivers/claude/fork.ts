import { readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { sessionFile } from "./home.ts"

/**
 * Copies a session under a new id, as `--fork-session` does; but that writes the copy only with the first message, and a
 * fork that waits for one over a restart would begin empty. Says whether there was a file to copy.
 */
export function copySession(home: string, from: string, to: string): boolean {
  const file = sessionFile(home, from)
  if (file === undefined) return false
  const text = readFileSync(file, "utf8")
  // A last line torn by a kill stays behind.
  const lines = text.slice(0, text.lastIndexOf("\n") + 1).split("\n")
  const copied = lines.map((line) => (line === "" ? "" : withId(line, to)))
  writeFileSync(join(dirname(file), `${to}.jsonl`), copied.join("\n"), { mode: 0o600 })
  return true
}

function withId(line: string, sessionId: string): string {
  try {
    const record: unknown = JSON.parse(line)
    if (typeof record !== "object" || record === null || !("sessionId" in record)) return line
    return JSON.stringify({ ...record, sessionId })
  } catch {
    return line // Claude Code passes such a line over, too
  }
}

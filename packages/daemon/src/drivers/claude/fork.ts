import { writeFileSync } from "node:fs"
import { readFile, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { Host } from "../../core/driver.ts"
import { sessionFile } from "./home.ts"

/** Claude Code writes what was said a tenth of a second later; a file that has not grown for longer is whole. */
const QUIET_MS = 200
const PATIENCE_MS = 3_000

/**
 * Copies a session under a new id, as `--fork-session` does; but that writes the copy only with the first message, and a
 * fork that waits for one over a restart would begin empty. Says whether there was a file to copy.
 */
export async function copySession(
  home: string,
  from: string,
  to: string,
  host: Pick<Host, "asAgent">,
): Promise<boolean> {
  const file = await settledFile(home, from)
  if (file === undefined) return false
  const text = await readFile(file, "utf8")
  // A last line torn by a kill stays behind.
  const lines = text.slice(0, text.lastIndexOf("\n") + 1).split("\n")
  const copied = lines.map((line) => (line === "" ? "" : withId(line, to)))
  const copy = join(dirname(file), `${to}.jsonl`)
  host.asAgent(() => writeFileSync(copy, copied.join("\n"), { mode: 0o600, flag: "wx" }))
  return true
}

async function settledFile(home: string, id: string): Promise<string | undefined> {
  const deadline = performance.now() + PATIENCE_MS
  let size = -1
  while (performance.now() < deadline) {
    const file = sessionFile(home, id)
    const now = file === undefined ? -1 : (await stat(file)).size
    if (file !== undefined && now === size) return file
    size = now
    await Bun.sleep(QUIET_MS)
  }
  return sessionFile(home, id)
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

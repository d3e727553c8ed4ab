import { type FileHandle, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { claudeLimits } from "@sandbox-agent/schema/driver-limits"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { type Host, MemoryGone } from "../../core/driver.ts"
import { linesOf } from "../../files/lines-of.ts"
import { openRegular } from "../../files/regular-file.ts"
import { writeNewLines } from "../shared/new-lines-file.ts"
import { sessionFile } from "./home.ts"

/**
 * Copies a session under a new id, as `--fork-session` does; but that writes the copy only with the first message, and a
 * fork that waits for one over a restart would begin empty. Says whether there was a file to copy.
 */
export async function copySession(
  home: string,
  from: string,
  to: string,
  host: Pick<Host, "asAgent" | "reach">,
): Promise<boolean> {
  const file = await settledFile(home, from)
  if (file === undefined) return false
  const original = await openRegular(file, host.reach).catch((error: unknown) => {
    throw SandboxAgentError.is(error) ? new MemoryGone(error.detail) : error
  })
  try {
    await writeNewLines(join(dirname(file), `${to}.jsonl`), copied(original, file, to), host)
  } finally {
    await original.close()
  }
  return true
}

async function* copied(original: FileHandle, file: string, to: string): AsyncGenerator<string> {
  for await (const line of linesOf(original, file)) yield line === "" ? "" : withId(line, to)
}

/** Claude Code writes what was said a tenth of a second later. */
export async function settledFile(home: string, id: string): Promise<string | undefined> {
  const deadline = performance.now() + claudeLimits.transcriptWaitMs
  let size = -1
  while (performance.now() < deadline) {
    const file = await sessionFile(home, id)
    const now = file === undefined ? -1 : ((await stat(file).catch(() => undefined))?.size ?? -1)
    if (file !== undefined && now >= 0 && now === size) return file
    size = now
    await Bun.sleep(claudeLimits.transcriptQuietMs)
  }
  return await sessionFile(home, id)
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

import { Database } from "bun:sqlite"
import { truncateSync } from "node:fs"
import { join } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { stopCommand } from "@sandbox-agent/schema/stop-command"
import { isBroken } from "./damage.ts"

/**
 * One daemon per data directory. An exclusive transaction on a small file of its own: the system drops it with the
 * process, so a crash never leaves a lock behind.
 */
export function lockDirectory(directory: string): () => void {
  const path = join(directory, "lock.db")
  try {
    return lock(path, directory)
  } catch (error) {
    if (!isBroken(error)) throw error
    // Nothing was ever in it. It is emptied where it lies: whoever has it locked has it locked still.
    truncateSync(path)
    return lock(path, directory)
  }
}

function lock(path: string, directory: string): () => void {
  const db = new Database(path, { create: true })
  try {
    db.run("PRAGMA busy_timeout = 200")
    // Nothing is ever written: a lock must not need room on the disk.
    db.run("PRAGMA journal_mode = MEMORY")
    db.run("BEGIN EXCLUSIVE")
  } catch (error) {
    db.close()
    if (!/locked|busy/i.test(String(error))) throw error
    throw new SandboxAgentError(
      "unavailable",
      `another daemon is using the data directory ${directory}; stop it (${stopCommand(directory)}) or choose another --data-dir`,
    )
  }
  return () => db.close()
}

import { Database } from "bun:sqlite"
import { join } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { stopCommand } from "@sandbox-agent/schema/stop-command"

/**
 * One daemon per data directory. An exclusive transaction on a small file of its own: the system drops it with the
 * process, so a crash never leaves a lock behind.
 */
export function lockDirectory(directory: string): () => void {
  const db = new Database(join(directory, "lock.db"), { create: true })
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

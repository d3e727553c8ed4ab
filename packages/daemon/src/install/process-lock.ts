import { Database } from "bun:sqlite"
import { mkdir } from "node:fs/promises"
import { dirname } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"

export interface LockWait {
  timeoutMs: number
  retryMs: number
  signal?: AbortSignal
  /** Somebody else has it. */
  onWait?(): void
}

/**
 * One holder among all processes. An exclusive transaction on a file of its own: the system drops it with the process,
 * so a crash never leaves a lock behind.
 */
export async function holdLock(path: string, wait: LockWait): Promise<() => void> {
  await mkdir(dirname(path), { recursive: true })
  const until = Date.now() + wait.timeoutMs
  for (let waited = false; ; waited = true) {
    const release = tryLock(path)
    if (release) return release
    if (!waited) wait.onWait?.()
    wait.signal?.throwIfAborted()
    if (Date.now() >= until)
      throw new SandboxAgentError("install_failed", `another process has been installing for ${wait.timeoutMs} ms`)
    await Bun.sleep(wait.retryMs)
  }
}

function tryLock(path: string): (() => void) | undefined {
  const db = new Database(path, { create: true })
  try {
    // Waiting inside SQLite would halt the daemon.
    db.run("PRAGMA busy_timeout = 0")
    // Nothing is ever written: a lock must not need room on the disk.
    db.run("PRAGMA journal_mode = MEMORY")
    db.run("BEGIN EXCLUSIVE")
    return () => db.close()
  } catch (error) {
    db.close()
    if (/locked|busy/i.test(String(error))) return undefined
    throw error
  }
}

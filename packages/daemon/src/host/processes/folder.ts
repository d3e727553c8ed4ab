import { readdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import type { Logger } from "../../core/context.ts"
import { ManagedProcess } from "./process.ts"
import { readRecord, writeRecord } from "./record.ts"

/** The processes of earlier daemons. One that nobody saw end was ended when its daemon was killed. */
export function earlier(folder: string, log: Logger): ManagedProcess[] {
  const found = namesIn(folder).flatMap((name) => {
    const place = { folder: join(folder, name), log }
    const record = readRecord(place.folder)
    if (record === undefined) {
      rmSync(place.folder, { recursive: true, force: true })
      return []
    }
    if (record.exitedAtMs === undefined) {
      // Times of files are a few milliseconds late: none ends before it began.
      const exitedAtMs = Math.max(lastTouched(place.folder), record.createdAtMs)
      Object.assign(record, { exitedAtMs, reason: "daemon_killed" })
      try {
        writeRecord(place.folder, record)
      } catch (error) {
        // Told the same by the next daemon.
        log("warn", "the end of a process could not be written down", { process: name, error: String(error) })
      }
    }
    return [new ManagedProcess(record, place)]
  })
  return found.sort((a, b) => (a.record.id < b.record.id ? -1 : 1))
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.startsWith("proc_"))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return []
    throw error
  }
}

/** When it was last heard of. */
const lastTouched = (folder: string): number =>
  Math.round(Math.max(...readdirSync(folder).map((name) => statSync(join(folder, name)).mtimeMs)))

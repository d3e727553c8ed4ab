import { readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"

export type EndReason = "exited" | "signal" | "daemon_stopped" | "daemon_killed"

/** What of a process outlives the daemon. */
export interface ProcessRecord {
  id: string
  command: string
  args: string[]
  cwd: string
  tty: boolean
  interactive: boolean
  sessionId?: string | undefined
  createdAtMs: number
  exitedAtMs?: number | undefined
  exitCode?: number | undefined
  signal?: string | undefined
  reason?: EndReason | undefined
  /** Of its terminal, as it is or was. */
  cols?: number | undefined
  rows?: number | undefined
  title?: string | undefined
  /** Of its log, once it has ended. */
  firstSequence?: number | undefined
  lastSequence?: number | undefined
  /** What of its log may be on disk. */
  logBytes: number
}

const fileIn = (folder: string): string => join(folder, "process.json")

/** In one step: a daemon that dies here leaves the one before. */
export function writeRecord(folder: string, record: ProcessRecord): void {
  const draft = `${fileIn(folder)}.draft`
  writeFileSync(draft, JSON.stringify(record), { mode: 0o600 })
  renameSync(draft, fileIn(folder))
}

/** Undefined where there is none: its daemon died before it was started. */
export function readRecord(folder: string): ProcessRecord | undefined {
  try {
    return JSON.parse(readFileSync(fileIn(folder), "utf8")) as ProcessRecord
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw error
  }
}

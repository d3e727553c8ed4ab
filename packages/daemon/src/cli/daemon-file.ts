import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { processStartTime } from "./process-identity.ts"

/**
 * What a listening daemon leaves in its data directory, mode 0600, so that commands of the same user find it. The token is
 * not in it: any process of that user could read it, agents too. `token-socket.ts` gives it out.
 */
export interface DaemonRecord {
  readonly pid: number
  /** `processStartTime(pid)`. */
  readonly startTime: string
  readonly url: string
  /** Whether it asks for a token. */
  readonly tokenNeeded: boolean
  readonly version: string
  /** How long its shutdown may take. */
  readonly shutdownMs?: number
}

export const daemonFile = (dataDir: string): string => join(dataDir, "daemon.json")
export const daemonLog = (dataDir: string): string => join(dataDir, "daemon.log")

/** For the server, once it listens. Renamed into place, so that nobody reads half of it. */
export function writeDaemonFile(dataDir: string, record: DaemonRecord): void {
  const path = daemonFile(dataDir)
  const draft = `${path}.${record.pid}`
  try {
    writeFileSync(draft, `${JSON.stringify(record)}\n`, { mode: 0o600 })
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

/** For the server, on its way out; the file of another daemon stays. */
export function removeDaemonFile(dataDir: string, pid: number): void {
  if (readRecord(dataDir)?.pid === pid) rmSync(daemonFile(dataDir), { force: true })
}

function readRecord(dataDir: string): DaemonRecord | undefined {
  try {
    const record = JSON.parse(readFileSync(daemonFile(dataDir), "utf8")) as Partial<DaemonRecord>
    const complete = Number.isSafeInteger(record.pid) && Number(record.pid) > 0 && typeof record.url === "string"
    return complete ? (record as DaemonRecord) : undefined
  } catch {
    return undefined
  }
}

/** The daemon of a data directory, if it lives; a file left by one that was killed does not count. */
export function liveDaemon(dataDir: string): DaemonRecord | undefined {
  const record = readRecord(dataDir)
  return record && isAlive(record) ? record : undefined
}

export function isAlive(record: Pick<DaemonRecord, "pid" | "startTime">): boolean {
  const started = processStartTime(record.pid)
  return started !== undefined && started === String(record.startTime)
}

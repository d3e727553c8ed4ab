import { killGroup, startTimeOf } from "./proc.ts"

/** A process that was alive when it was written down. */
export interface ProcessRecord {
  pid: number
  startTime: number
}

/** Both are read from clocks that are set now and then; a pid is not used again within this time. */
const sameStartMs = 2_000

/** Kills the groups of a last run's processes. A pid given to another process since is known by its start time. */
export function reapLastRun(records: readonly ProcessRecord[]): number[] {
  return records.filter(isAlive).flatMap(({ pid }) => (killGroup(pid, "SIGKILL") ? [pid] : []))
}

function isAlive({ pid, startTime }: ProcessRecord): boolean {
  const now = pid > 1 && pid !== process.pid ? startTimeOf(pid) : undefined
  return now !== undefined && Math.abs(now - startTime) <= sameStartMs
}

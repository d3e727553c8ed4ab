import { existsSync, readFileSync } from "node:fs"
import { expect } from "vitest"

/** A process that runs; one that only waits to be reaped counts as gone. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  const stat = `/proc/${pid}/stat`
  return !existsSync(stat) || !/\) [ZX] /.test(readFileSync(stat, "utf8"))
}

export const untilGone = (pid: number): Promise<void> =>
  expect.poll(() => isRunning(pid), { message: `process ${pid} still runs` }).toBe(false)

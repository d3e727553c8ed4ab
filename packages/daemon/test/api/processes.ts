import { readFileSync } from "node:fs"

/** Waits until a process is no more, or only its exit code is left for its parent to read. */
export async function gone(pid: number): Promise<void> {
  while (running(pid)) await Bun.sleep(5)
}

export function running(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return false
  }
}

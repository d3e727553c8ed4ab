import { readFileSync } from "node:fs"

/**
 * When a process started, as the system tells it: together with the pid it names one process for good, since pids are
 * given out again. Undefined when there is no such process.
 */
export function processStartTime(pid: number): string | undefined {
  if (process.platform === "linux") {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
      // The name in parentheses may hold anything, so fields are counted from its end; state is the first after it.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
      return fields[0] === "Z" ? undefined : fields[19]
    } catch {
      return undefined
    }
  }
  const { stdout } = Bun.spawnSync(["ps", "-o", "lstart=", "-p", String(pid)], {
    env: { LC_ALL: "C", PATH: "/bin:/usr/bin" },
  })
  return stdout.toString().trim() || undefined
}

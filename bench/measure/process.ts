import { readFileSync } from "node:fs"

/** Resident memory of one process in MB. */
export function rssMb(pid: number): number {
  if (process.platform === "linux") {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024
  }
  return Number(Bun.spawnSync(["ps", "-o", "rss=", "-p", String(pid)]).stdout.toString()) / 1024
}

/** Memory with shared pages divided among those who share them; Linux only. */
export function pssMb(pid: number): number {
  if (process.platform !== "linux") return Number.NaN
  return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1]) / 1024
}

/** Memory that no file backs: what the process itself asked for; Linux only. */
export function anonymousMb(pid: number): number {
  if (process.platform !== "linux") return Number.NaN
  return Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024
}

/** Processor time of one process so far, in ms; Linux only. */
export function cpuMs(pid: number): number {
  if (process.platform !== "linux") return Number.NaN
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
  // utime and stime, in ticks of 10 ms on every Linux that matters.
  return (Number(fields[11]) + Number(fields[12])) * 10
}

export const ownCpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Peak of a process's memory while `work` runs. */
export async function peakRssMb<T>(pid: number, work: () => Promise<T>): Promise<{ peak: number; result: T }> {
  let peak = rssMb(pid)
  const timer = setInterval(() => {
    peak = Math.max(peak, rssMb(pid))
  }, 50)
  try {
    const result = await work()
    return { peak: Math.max(peak, rssMb(pid)), result }
  } finally {
    clearInterval(timer)
  }
}

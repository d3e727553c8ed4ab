import { readdirSync, readFileSync } from "node:fs"

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

/** Processor time of every thread of these processes so far, in ms and to the nanosecond; Linux only. */
export function threadsCpuMs(pids: readonly number[]): Map<string, number> {
  const used = new Map<string, number>()
  for (const pid of pids)
    for (const id of readdirSync(`/proc/${pid}/task`))
      used.set(id, Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, "latin1").split(" ")[0]) / 1e6)
  return used
}

/** What threads have used between two looks; one that has ended meanwhile takes what it used with it. */
export const usedBetween = (before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): number =>
  [...after].reduce((all, [id, ms]) => all + ms - (before.get(id) ?? 0), 0)

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

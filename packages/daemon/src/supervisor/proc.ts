import { readFileSync } from "node:fs"

/** False when there is nothing left to signal. */
export function killGroup(pgid: number, signal: NodeJS.Signals): boolean {
  return send(-pgid, signal)
}

export function send(target: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(target, signal)
  } catch {
    return false
  }
}

/**
 * When a process started, in milliseconds since 1970, or undefined when there is none. The kernel counts from boot
 * (`/proc/<pid>/stat`, field 22); the wall clock is used so that a record from before a reboot can match nothing.
 */
export function startTimeOf(pid: number): number | undefined {
  if (process.platform === "darwin") return startTimeFromPs(pid)
  const stat = readProc(`${pid}/stat`)
  const uptime = Number.parseFloat(readProc("uptime") ?? "")
  // The name in brackets may hold spaces and brackets; after its last one comes field 3.
  const ticks = Number(stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19])
  if (!Number.isFinite(ticks) || !Number.isFinite(uptime)) return undefined
  return Math.round(Date.now() - uptime * 1000 + ticks * (1000 / ticksPerSecond))
}

/** As the kernel counts it: with its number it names one process for good. */
export function startTicksOf(pid: number): string | undefined {
  const stat = readProc(`${pid}/stat`)
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19]
}

/** Its state, such as `Z`, and its parent; undefined when there is no such process. */
export function stateOf(pid: number): { name: string; parent: number } | undefined {
  const stat = readProc(`${pid}/stat`)
  const [name, parent] = stat?.slice(stat.lastIndexOf(")") + 2).split(" ", 2) ?? []
  return name === undefined ? undefined : { name, parent: Number(parent) }
}

/** The name of its program, as the kernel keeps it. */
export function programOf(pid: number): string | undefined {
  return readProc(`${pid}/comm`)?.trimEnd()
}

/** `VmRSS` and not `statm`, which counts in pages of a size that differs between machines. */
export function rssOf(pid: number): number | undefined {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readProc(`${pid}/status`) ?? "")?.[1]
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
}

/** Fixed for user space on every Linux that Bun runs on. */
const ticksPerSecond = 100

export function readProc(path: string): string | undefined {
  try {
    return readFileSync(`/proc/${path}`, "latin1")
  } catch {
    return undefined
  }
}

function startTimeFromPs(pid: number): number | undefined {
  const { stdout } = Bun.spawnSync(["ps", "-o", "lstart=", "-p", `${pid}`], { env: { ...process.env, LC_ALL: "C" } })
  const time = Date.parse(stdout.toString().trim())
  return Number.isNaN(time) ? undefined : time
}

import { readdirSync, readFileSync } from "node:fs"
import { setImmediate } from "node:timers/promises"
import { inEnvironment } from "./cookie.ts"

/** Processes looked at before others get their turn: about a millisecond. */
const step = 64

/** Calls `found` with each process, ourselves left out, whose environment carries a cookie with one of the prefixes. */
export async function eachCarrier(prefixes: readonly string[], found: (pid: number) => void): Promise<void> {
  if (process.platform === "linux") await eachInProc(prefixes, found)
  else await eachInPs(prefixes, found)
}

async function eachInProc(prefixes: readonly string[], found: (pid: number) => void): Promise<void> {
  const needles = prefixes.map((prefix) => Buffer.from(inEnvironment(prefix)))
  let looked = 0
  for (const name of readdirSync("/proc")) {
    const pid = Number(name)
    if (!Number.isInteger(pid) || pid === process.pid) continue
    if (++looked % step === 0) await setImmediate()
    const environment = environmentOf(pid)
    // Told at once, while the number still belongs to the process that was read.
    if (environment && needles.some((needle) => holds(environment, needle))) found(pid)
  }
}

/** Gone, a kernel thread, a zombie or another user's: none of ours. */
function environmentOf(pid: number): Buffer | undefined {
  try {
    return readFileSync(`/proc/${pid}/environ`)
  } catch {
    return undefined
  }
}

/** A variable begins at the start of the block or after a NUL; the same text inside another value is not a cookie. */
function holds(environment: Buffer, needle: Buffer): boolean {
  let at = environment.indexOf(needle)
  while (at > 0 && environment[at - 1] !== 0) at = environment.indexOf(needle, at + 1)
  return at >= 0
}

/** For macOS, which has no /proc: `ps` shows the environment after the command. */
export async function eachInPs(prefixes: readonly string[], found: (pid: number) => void): Promise<void> {
  const needles = prefixes.map((prefix) => ` ${inEnvironment(prefix)}`)
  const ps = Bun.spawn(["ps", "axeww", "-o", "pid=,command="], { stdin: "ignore", stdout: "pipe", stderr: "ignore" })
  for (const line of (await new Response(ps.stdout).text()).split("\n")) {
    const pid = Number.parseInt(line, 10)
    if (pid > 1 && pid !== process.pid && needles.some((needle) => line.includes(needle))) found(pid)
  }
}

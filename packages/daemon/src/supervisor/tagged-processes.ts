import { readdirSync, readFileSync } from "node:fs"
import { setImmediate } from "node:timers/promises"
import { inLimits } from "./limit-tag.ts"
import { readProc, stateOf } from "./proc.ts"
import { tagInEnvironment } from "./process-tag.ts"

/** How processes are found whose parents are gone: a prefix of the tag in their environment, and of the one in their limits for those that shed it. */
export interface ProcessMark {
  processTag: string
  limitTag?: string | undefined
}

/** Processes looked at before others get their turn: about a millisecond. */
const step = 64

/** Calls `found` with each living process, ourselves left out, that has one of the tags. */
export async function eachTaggedProcess(marks: readonly ProcessMark[], found: (pid: number) => void): Promise<void> {
  if (process.platform === "linux") await eachInProc(marks, found)
  else await eachInPs(marks, found)
}

async function eachInProc(marks: readonly ProcessMark[], found: (pid: number) => void): Promise<void> {
  const isTagged = hasTagOf(marks)
  let looked = 0
  for (const name of readdirSync("/proc")) {
    const pid = Number(name)
    if (!Number.isInteger(pid) || pid === process.pid) continue
    if (++looked % step === 0) await setImmediate()
    // Told at once, while the number still belongs to the process that was read.
    if (isTagged(pid)) found(pid)
  }
}

/** Whether a process lives and has one of the tags, as far as /proc shows it. */
export function hasTagOf(marks: readonly ProcessMark[]): (pid: number) => boolean {
  const needles = marks.map(({ processTag }) => Buffer.from(tagInEnvironment(processTag)))
  const limitTags = marks.flatMap(({ limitTag }) => (limitTag === undefined ? [] : [inLimits(limitTag)]))
  const tagged = limitTags.length > 0 ? new RegExp(limitTags.join("|"), "m") : undefined
  return (pid) => {
    const environment = environmentOf(pid)
    if (environment && needles.some((needle) => holds(environment, needle))) return true
    return (tagged?.test(readProc(`${pid}/limits`) ?? "") ?? false) && stateOf(pid)?.name !== "Z"
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

/** A variable begins at the start of the block or after a NUL; the same text inside another value is not a tag. */
function holds(environment: Buffer, needle: Buffer): boolean {
  let at = environment.indexOf(needle)
  while (at > 0 && environment[at - 1] !== 0) at = environment.indexOf(needle, at + 1)
  return at >= 0
}

/** For macOS, which has no /proc: `ps` shows the environment after the command. */
export async function eachInPs(marks: readonly ProcessMark[], found: (pid: number) => void): Promise<void> {
  const needles = marks.map(({ processTag }) => ` ${tagInEnvironment(processTag)}`)
  const ps = Bun.spawn(["ps", "axeww", "-o", "pid=,command="], { stdin: "ignore", stdout: "pipe", stderr: "ignore" })
  for (const line of (await new Response(ps.stdout).text()).split("\n")) {
    const pid = Number.parseInt(line, 10)
    if (pid > 1 && pid !== process.pid && needles.some((needle) => line.includes(needle))) found(pid)
  }
}

import { readdirSync, readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { onTestFinished } from "vitest"
import type { Exit } from "../../src/core/driver-sink.ts"
import type { Child, SpawnOptions, Supervisor } from "../../src/core/supervisor.ts"

/** Less than a test has, so that the error says what was waited for. */
const patienceMs = 50_000

/** Polls until it holds; only for what no event tells of, such as the death of a process that is not our child. */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const end = performance.now() + patienceMs; performance.now() < end; await sleep(20))
    if (await condition()) return
  throw new Error(`never happened: ${what}`)
}

/** A zombie is gone: it only waits for its parent to take notice. */
export function lives(pid: number): boolean {
  const state = stateOf(pid)
  return state !== undefined && state !== "Z" && state !== "X"
}

export function stateOf(pid: number | string): string | undefined {
  return statOf(pid)?.[0]
}

export function sessionOf(pid: number): number {
  return Number(statOf(pid)?.[3])
}

/** Until it runs another program, in a session of its own: then no signal to its old group reaches it. */
export async function moved(pid: number, program: string): Promise<void> {
  const name = () => readFileSync(`/proc/${pid}/comm`, "latin1").trim()
  await until(() => sessionOf(pid) === pid && name() === program, `${pid} as ${program} in its own session`)
}

export function ignores(pid: number, signal: number): boolean {
  const mask = /^SigIgn:\s+(\w+)/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]
  return ((BigInt(`0x${mask}`) >> BigInt(signal - 1)) & 1n) === 1n
}

/** The fields after the name. */
function statOf(pid: number | string): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  } catch {
    return undefined
  }
}

export function childrenOf(pid: number): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((candidate) => Number.isInteger(candidate) && Number(statOf(candidate)?.[1]) === pid && lives(candidate))
}

/**
 * SIGSTOP comes to one thread, and through it to the others: on a busy machine those run on for a while. What ends
 * meanwhile does nothing any more either, and may wait for its parent to take notice.
 */
export async function halt(pid: number): Promise<void> {
  if (lives(pid)) process.kill(pid, "SIGSTOP")
  const stands = (task: string) => ["T", "Z", "X", undefined].includes(stateOf(`${pid}/task/${task}`))
  await until(() => !lives(pid) || readdirSync(`/proc/${pid}/task`).every(stands), `process ${pid} standing still`)
}

export const gone = (pid: number): Promise<void> => until(() => !lives(pid), `the end of process ${pid}`)

/** Ends with the test, however it ends, what the supervisor is not able to find. */
export function killAfterTest(pid: number): void {
  onTestFinished(() => {
    if (lives(pid)) process.kill(pid, "SIGKILL")
  })
}

/** A program that not even the supervisor finds: without the tag in its environment and in its limits. */
export const unmarked = (program: string): string =>
  `setsid env -u SANDBOX_AGENT_COOKIE bash -c 'ulimit -S -x unlimited; exec ${program}'`

export interface Started {
  child: Child
  lines: string[]
  exits: Exit[]
  /** The n-th line, as soon as it is there. */
  line(index: number): Promise<string>
}

/** A shell script under the supervisor, with all it says. */
export function start(supervisor: Supervisor, script: string, options: Partial<SpawnOptions> = {}): Started {
  const lines: string[] = []
  const exits: Exit[] = []
  const waiting: (() => void)[] = []
  const wake = () => {
    for (const resume of waiting.splice(0)) resume()
  }
  const child = supervisor.spawn({
    owner: "session-1",
    label: "script",
    command: ["sh", "-c", script],
    directory: "/",
    env: {},
    onLine: (line) => {
      lines.push(line)
      wake()
    },
    onExit: (exit) => {
      exits.push(exit)
      wake()
    },
    ...options,
  })
  const line = async (index: number): Promise<string> => {
    for (;;) {
      const found = lines[index]
      if (found !== undefined) return found
      if (exits.length > 0) throw new Error(`no line ${index}: ${JSON.stringify(exits[0])}`)
      await new Promise<void>((resume) => waiting.push(resume))
    }
  }
  return { child, lines, exits, line }
}

import type { Exit } from "../core/driver-sink.ts"
import type { Supervisor } from "../core/supervisor.ts"

export interface RunOptions {
  label: string
  command: readonly string[]
  directory: string
  env: Record<string, string>
  timeoutMs: number
  /** Lines of stdout that are kept. */
  lines: number
  onLine?(line: string): void
  signal?: AbortSignal
  /** It works in folders of the daemon's. */
  asDaemon?: true
}

export interface RunResult {
  exit: Exit
  stdout: string[]
  timedOut: boolean
}

let runs = 0

/** Runs a program to its end under the supervisor: it dies with the daemon, and with its deadline. */
export async function run(supervisor: Supervisor, options: RunOptions): Promise<RunResult> {
  const { label, command, directory, env, timeoutMs, signal } = options
  const stdout: string[] = []
  const child = supervisor.spawn({
    owner: `install:${++runs}`,
    label,
    command: [...command],
    directory,
    env,
    ...(options.asDaemon && { asDaemon: true }),
    onLine: (line) => {
      if (stdout.length < options.lines) stdout.push(line)
      options.onLine?.(line)
    },
    onExit: () => {},
  })
  child.endInput()
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    void child.kill()
  }, timeoutMs)
  const abort = () => void child.kill()
  signal?.addEventListener("abort", abort, { once: true })
  if (signal?.aborted) abort()
  try {
    return { exit: await child.exited, stdout, timedOut }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener("abort", abort)
  }
}

/** The words of a process about its failure: what it wrote to stderr, else how it ended. */
export function wordsOf({ exit, stdout }: RunResult): string {
  const stderr = [exit.stderr?.head, exit.stderr?.tail].filter(Boolean).join("\n")
  return stderr || stdout.join("\n") || (exit.message ?? "it failed without a word")
}

import { spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PATH } from "./install.ts"

const RUN_TIMEOUT_MS = 50_000

export interface Home extends AsyncDisposable {
  path: string
}

/** A home of its own per agent: nothing of the user's is read or written. */
export async function temporaryHome(): Promise<Home> {
  const path = await mkdtemp(join(tmpdir(), "scripted-model-"))
  // An agent may still be writing its logs when it is gone from our sight.
  const remove = () => rm(path, { recursive: true, force: true, maxRetries: 5 })
  return { path, [Symbol.asyncDispose]: remove }
}

export interface Run {
  code: number | null
  lines: string[]
  stderr: string
}

/** Runs an agent to its end with nothing of our environment but what is given. */
export async function run(
  command: string[],
  options: { home: string; env: Record<string, string>; input?: string },
): Promise<Run> {
  const [program = "", ...rest] = command
  const child = spawn(program, rest, { cwd: options.home, env: { PATH, HOME: options.home, ...options.env } })
  let late = false
  const timer = setTimeout(() => {
    late = true
    child.kill("SIGKILL")
  }, RUN_TIMEOUT_MS)
  let stdout = ""
  let stderr = ""
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    stdout += chunk
  })
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    stderr += chunk
  })
  child.stdin.on("error", () => {})
  child.stdin.end(options.input ?? "")
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject)
    child.once("close", resolve)
  })
  clearTimeout(timer)
  if (late) throw new Error(`${program} did not end within ${RUN_TIMEOUT_MS} ms\n${stdout}\n${stderr}`)
  return { code, lines: stdout.split("\n").filter((line) => line !== ""), stderr }
}

/** The JSON lines an agent wrote, as far as a test wants to look into them. */
export function parsed<T>(lines: string[]): T[] {
  return lines.map((line) => JSON.parse(line) as T)
}

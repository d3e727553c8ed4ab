import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { daemonProgram } from "@sandbox-agent/test-agents/daemon-program"
import { afterAll } from "vitest"

export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface SpawnOptions {
  readonly env?: Record<string, string>
  readonly stdin?: string
  readonly cwd?: string
}

/** A folder that is gone after the test. */
export function temporaryFolder(): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), "sandbox-agent-cli-"))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** Nothing of the machine's own settings may decide a test; Bun keeps its cache in the home, so there is one. */
export const cleanEnvironment = {
  PATH: process.env.PATH ?? "",
  HOME: mkdtempSync(join(tmpdir(), "sandbox-agent-home-")),
  TMPDIR: tmpdir(),
}
afterAll(() => rmSync(cleanEnvironment.HOME, { recursive: true, force: true }))

export function startCli(args: string[], options: SpawnOptions = {}) {
  return Bun.spawn([...daemonProgram(), ...args], {
    env: { ...cleanEnvironment, ...options.env },
    cwd: options.cwd,
    stdin: options.stdin === undefined ? "ignore" : new Blob([options.stdin]),
    stdout: "pipe",
    stderr: "pipe",
  })
}

/** The real command line in a process of its own. */
export async function cli(args: string[], options: SpawnOptions = {}): Promise<Ended> {
  const child = startCli(args, options)
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, stdout, stderr }
}

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterFile } from "@sandbox-agent/test-agents/after-file"
import { daemonProgram } from "@sandbox-agent/test-agents/daemon-program"

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

let home: string | undefined

function homeOfFile(): string {
  if (home !== undefined) return home
  const made = mkdtempSync(join(tmpdir(), "sandbox-agent-home-"))
  afterFile(() => {
    home = undefined
    rmSync(made, { recursive: true, force: true })
  })
  home = made
  return made
}

/** Nothing of the machine's own settings may decide a test; Bun keeps its cache in the home, so there is one for each file. */
export const cleanEnvironment = {
  PATH: process.env.PATH ?? "",
  TMPDIR: tmpdir(),
  get HOME() {
    return homeOfFile()
  },
}

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

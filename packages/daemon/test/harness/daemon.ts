import { fstatSync, mkdtempSync, openSync, readSync, rmSync, unlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Intervals } from "@sandbox-agent/schema/intervals"
import { afterFile } from "@sandbox-agent/test-agents/after-file"
import { daemonProgram } from "@sandbox-agent/test-agents/daemon-program"
import { Api } from "./api.ts"
import { noteOnFailure } from "./notes.ts"

export const root = fileURLToPath(new URL("../../../..", import.meta.url))

export interface DaemonOptions {
  /** A directory to start on again; without it a fresh one, removed at the end. */
  dataDir?: string
  token?: string
  flags?: string[]
  /** What this daemon waits otherwise than others do, so that nobody has to wait for it. */
  intervals?: Partial<Intervals>
  env?: Record<string, string>
  cwd?: string
  /** dist/sandbox-agent or the source; else as the run has it. */
  compiled?: boolean
  /** Words of a shell that becomes the daemon: what it does before that, then `exec`. */
  behind?: string
}

/** A real daemon in a process of its own. `await using daemon = await startDaemon()`. */
export interface TestDaemon extends AsyncDisposable {
  readonly url: string
  readonly token: string
  readonly pid: number
  readonly dataDir: string
  readonly api: Api
  readonly stdout: () => string
  readonly stderr: () => string
  readonly exited: Promise<number>
  kill(signal?: NodeJS.Signals): void
  /** SIGTERM and wait. */
  stop(): Promise<number>
}

/** The flags that say so. */
export const intervalFlags = (given: Partial<Intervals> = {}): string[] =>
  Object.entries(given).flatMap(([name, ms]) => ["--interval", `${name}=${ms}`])

let folders: string[] = []

/** By a program of its own: what tests leave may be of other users, closed to ours, and too much to wait for in between. */
function removeFolders(): void {
  Bun.spawnSync(["rm", "-rf", ...folders])
  folders = []
}

/** A folder that is gone after the file's last test. */
export function scratch(): string {
  if (folders.length === 0) afterFile(removeFolders)
  const folder = mkdtempSync(join(tmpdir(), "sandbox-agent-test-"))
  folders.push(folder)
  return folder
}

let home: string | undefined

/** What shells and agents read at their start is not that of whoever runs the tests, nor of another file. */
function homeOfFile(): string {
  if (home === undefined) afterFile(() => (home = undefined))
  home ??= scratch()
  return home
}

/** A file without a name that a process writes to: what it has written is there, whoever of us had a turn since. */
function paper(): { fd: number; text: () => string } {
  const path = join(tmpdir(), `sandbox-agent-said-${crypto.randomUUID()}`)
  const fd = openSync(path, "ax+", 0o600)
  unlinkSync(path)
  const text = () => {
    const bytes = Buffer.alloc(fstatSync(fd).size)
    return bytes.toString("utf8", 0, readSync(fd, bytes, 0, bytes.length, 0))
  }
  return { fd, text }
}

/** Starts a daemon and resolves with its output once it either listens or has exited. */
export async function startDaemon(options: DaemonOptions = {}): Promise<TestDaemon> {
  const dataDir = options.dataDir ?? scratch()
  const token = options.token ?? "test-token-0123456789"
  // What opens is not given up, and what is at its end not cut short, because the machine is slow.
  const intervals = { shutdownMs: 60_000, openMs: 120_000, ...options.intervals }
  const flags = [...intervalFlags(intervals), ...(options.flags ?? [])]
  const shell = options.behind === undefined ? [] : ["sh", "-c", `${options.behind} "$@"`, "sh"]
  const said = paper()
  const child = Bun.spawn(
    [...shell, ...daemonProgram(options.compiled), "server", "--port", "0", "--data-dir", dataDir, ...flags],
    {
      env: { ...process.env, HOME: homeOfFile(), SANDBOX_AGENT_TOKEN: token, ...options.env },
      cwd: options.cwd ?? dataDir,
      stdout: "pipe",
      stderr: said.fd,
      stdin: "ignore",
    },
  )
  let stdout = ""
  const listening = Promise.withResolvers<string>()
  const outDone = (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of child.stdout) {
      stdout += decoder.decode(chunk, { stream: true })
      const url = /listening on (http:\/\/\S+)\n/.exec(stdout)?.[1]
      if (url !== undefined) listening.resolve(url)
    }
  })()
  const exited = child.exited.then(async (code) => {
    await Promise.race([outDone, Bun.sleep(500)])
    listening.reject(new Error(`the daemon exited with ${code}: ${said.text() || stdout}`))
    return code
  })
  const stop = async () => {
    child.kill("SIGTERM")
    return await exited
  }
  noteOnFailure(child, () => `the daemon said:\n${said.text().slice(-2000)}`)
  const url = await listening.promise
  return {
    url,
    token,
    pid: child.pid,
    dataDir,
    api: new Api(url, token),
    stdout: () => stdout,
    stderr: said.text,
    exited,
    kill: (signal = "SIGKILL") => child.kill(signal),
    stop,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) await stop()
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { daemonProgram } from "@sandbox-agent/test-agents/daemon-program"
import type { RunningDaemon, Stage } from "../src/subject.ts"

export const root = fileURLToPath(new URL("../../..", import.meta.url))
const token = "conformance-token-0123456789"

/** What it tells of sessions that go well is not for who runs the tests. */
const quiet = ["--log-level", "warn"]
/** Whether an agent answers must not depend on how busy the machine is: it has as long as a scenario has. */
const patience = Object.entries({
  openMs: 120_000,
  answerMs: 60_000,
  configureMs: 60_000,
  interruptMs: 60_000,
}).flatMap(([name, ms]) => ["--interval", `${name}=${ms}`])

export interface TestStage extends Stage {
  /** Of the daemon and of the sessions; gone with `remove`. */
  home: string
  remove(): void
}

/** Real daemons, one after the other on the same data; a process, because we know no daemon but its API. */
export function testStage(env: Record<string, string> = {}): TestStage {
  const home = mkdtempSync(join(tmpdir(), "sandbox-agent-conformance-"))
  return {
    home,
    directory: join(home, "work"),
    start: () => start(home, env),
    remove: () => rmSync(home, { recursive: true, force: true }),
  }
}

async function start(home: string, env: Record<string, string>): Promise<RunningDaemon> {
  const command = [...daemonProgram(), "server", "--port", "0", "--data-dir", join(home, "data"), ...quiet, ...patience]
  const child = Bun.spawn(command, {
    env: { ...process.env, SANDBOX_AGENT_TOKEN: token, ...env },
    cwd: home,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  })
  const url = await listening(child.stdout)
  if (url === undefined) throw new Error(`the daemon exited with ${await child.exited}`)
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await child.exited
  }
  return { url, token, crash: () => end("SIGKILL"), stop: () => end("SIGTERM") }
}

async function listening(stdout: ReadableStream<Uint8Array>): Promise<string | undefined> {
  const found = Promise.withResolvers<string | undefined>()
  const read = async () => {
    const decoder = new TextDecoder()
    let text = ""
    // To its end: a pipe that nobody reads would stop the daemon.
    for await (const chunk of stdout) {
      text = (text + decoder.decode(chunk, { stream: true })).slice(-10_000)
      const url = /listening on (http:\/\/\S+)/.exec(text)?.[1]
      if (url !== undefined) found.resolve(url)
    }
    found.resolve(undefined)
  }
  read().catch(found.reject)
  return found.promise
}

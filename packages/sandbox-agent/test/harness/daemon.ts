import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { daemonProgram } from "@sandbox-agent/test-agents/daemon-program"
import { keptPort } from "@sandbox-agent/test-agents/kept-port"
import { type ServerProcess, startProcess } from "../../../acp-http-client/test/servers/process.ts"

export const token = "sandbox-agent-token-0123456789"

/** A real daemon that can be killed and started again at the same address. */
export class TestDaemon implements AsyncDisposable {
  readonly home = mkdtempSync(join(tmpdir(), "sandbox-agent-sdk-"))
  #running: ServerProcess | undefined
  #port = 0
  readonly #flags: string[]
  readonly #env: Record<string, string>

  constructor(flags: string[], env: Record<string, string> = {}) {
    this.#flags = flags
    this.#env = env
  }

  static async start(...flags: string[]): Promise<TestDaemon> {
    const daemon = new TestDaemon(flags)
    daemon.#port = await keptPort()
    await daemon.begin()
    return daemon
  }

  static async startWith(env: Record<string, string>, ...flags: string[]): Promise<TestDaemon> {
    const daemon = new TestDaemon(flags, env)
    daemon.#port = await keptPort()
    await daemon.begin()
    return daemon
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  get data(): string {
    return join(this.home, "data")
  }

  get pid(): number {
    return this.#running?.child.pid ?? 0
  }

  async begin(...more: string[]): Promise<void> {
    const words = ["server", "--port", `${this.#port}`, "--data-dir", this.data, ...this.#flags, ...more]
    this.#running = await startProcess([...daemonProgram(), ...words], {
      // What shells and agents read at their start is not that of whoever runs the tests.
      env: { HOME: this.home, ...this.#env, SANDBOX_AGENT_TOKEN: token },
      cwd: this.home,
    })
  }

  async end(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    await this.#running?.stop(signal)
    this.#running = undefined
  }

  async restart(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    await this.end(signal)
    await this.begin()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end("SIGTERM")
    rmSync(this.home, { recursive: true, force: true })
  }
}

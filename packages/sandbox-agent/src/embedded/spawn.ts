import { type ChildProcess, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { timerOf } from "acp-http-client"
import { abortedError, SandboxAgentError } from "../errors.ts"
import { checkNewToken } from "../http/credentials.ts"
import { httpOf } from "../options.ts"
import type { SpawnedSandboxAgent, SpawnOptions } from "../spawn.ts"
import { endWithUs, type Watcher } from "./end-with-us.ts"
import { findExecutable } from "./executable.ts"
import { Output } from "./output.ts"

const healthMs = 15_000
const killMs = 10_000

/** Starts a daemon that ends with this program. */
export async function spawnDaemon(options: SpawnOptions): Promise<SpawnedSandboxAgent> {
  const { signal, timeoutMs = healthMs } = options
  if (signal?.aborted) throw abortedError("Starting a daemon", signal)
  if (options.token !== undefined) checkNewToken(options.token)
  const program = findExecutable(options.binaryPath)
  const token = options.token ?? randomBytes(24).toString("hex")
  const daemon = new Daemon(program, token, options)
  try {
    const baseUrl = await daemon.started(timeoutMs, signal)
    const { pid, dispose } = daemon
    return { baseUrl, token, pid, dispose, [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await daemon.dispose()
    throw error
  }
}

class Daemon {
  readonly #child: ChildProcess
  readonly #watcher: Watcher
  readonly #output: Output
  readonly #exited: Promise<string>
  readonly #onExit = () => this.#child.kill("SIGTERM")
  #disposing: Promise<void> | undefined

  constructor(program: string, token: string, options: SpawnOptions) {
    const { host = "127.0.0.1", port = 0, dataDir, args = [] } = options
    const data = dataDir === undefined ? ["--store", "memory"] : ["--data-dir", dataDir]
    const words = ["server", "--host", host, "--port", String(port), ...data, ...args]
    // The token goes by the environment: everybody can read arguments.
    const { SANDBOX_AGENT_NO_TOKEN: _, SANDBOX_AGENT_BIN: __, ...env } = process.env
    this.#child = spawn(program, words, {
      env: { ...env, ...options.env, SANDBOX_AGENT_TOKEN: token },
      // A group of its own: Ctrl-C is for this program, which may have work for the daemon before it ends.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    })
    this.#output = new Output(this.#child, options)
    this.#exited = new Promise((resolve) => {
      this.#child.once("exit", (code, signal) =>
        resolve(signal === null ? `exited with ${code}` : `was ended by ${signal}`),
      )
      this.#child.once("error", (error) => resolve(`could not be started: ${error.message}`))
    })
    this.#watcher = endWithUs(this.#child.pid === undefined ? "true" : `kill -TERM ${this.#child.pid}`)
    process.once("exit", this.#onExit)
    void this.#exited.then(() => {
      process.removeListener("exit", this.#onExit)
      this.#watcher.over()
    })
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** Where it listens, once it answers there. */
  async started(timeoutMs: number, signal: AbortSignal | undefined): Promise<string> {
    let timer: ReturnType<typeof setTimeout> | undefined
    let onAbort: (() => void) | undefined
    const over = new Promise<never>((_, reject) => {
      const late = () => `The daemon did not answer within ${timeoutMs} ms${this.#output.said()}`
      timer = timerOf(() => reject(new SandboxAgentError("spawn", late())), timeoutMs)
      onAbort = () => signal && reject(abortedError("Starting a daemon", signal))
      signal?.addEventListener("abort", onAbort)
    })
    const exited = this.#exited.then((how) => {
      throw new SandboxAgentError("spawn", `The daemon ${how}${this.#output.said()}`)
    })
    exited.catch(() => undefined)
    try {
      const baseUrl = await Promise.race([this.#answering(timeoutMs), exited, over])
      this.#release()
      return baseUrl
    } finally {
      clearTimeout(timer)
      if (onAbort !== undefined) signal?.removeEventListener("abort", onAbort)
    }
  }

  dispose = (): Promise<void> => {
    this.#disposing ??= this.#end()
    return this.#disposing
  }

  async #answering(timeoutMs: number): Promise<string> {
    const baseUrl = await this.#output.address
    const http = httpOf({ baseUrl, limits: { requestMs: timeoutMs } })
    await http.json({ what: "Waiting for the daemon", method: "GET", path: "/v1/health" })
    return baseUrl
  }

  /** It does not keep this program from ending by itself. */
  #release(): void {
    this.#child.unref()
    this.#output.unref()
  }

  async #end(): Promise<void> {
    this.#child.ref()
    this.#child.kill("SIGTERM")
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), killMs)
    await this.#exited
    clearTimeout(timer)
  }
}

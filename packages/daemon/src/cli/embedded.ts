import { type ChildProcess, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import type { Connection } from "./connection.ts"
import { healthWaitMs, isHealthy, poll } from "./health.ts"
import { selfCommand } from "./self.ts"

/** A daemon that belongs to one command and ends with it. */
export interface Embedded {
  readonly connection: Connection
  stop(): Promise<void>
  /** At once, for the last moment before an exit. */
  kill(): void
  /** As a power cut would: no turn is ended, no process stopped. */
  crash(): Promise<void>
}

export interface EmbeddedOptions {
  /** Beside the environment of this command. */
  env?: Readonly<Record<string, string>>
  /** Flags of the server; without them its logs are in memory. */
  flags?: readonly string[]
}

const keptErrorChars = 16 * 1024

/** Starts the server on any free port, with its logs in memory and a token nobody else knows. */
export async function startEmbedded(dataDir: string | undefined, options: EmbeddedOptions = {}): Promise<Embedded> {
  const token = randomBytes(24).toString("hex")
  const [program = "", ...selfArgs] = selfCommand()
  const { flags = ["--store", "memory"] } = options
  const args = [...selfArgs, "server", "--host", "127.0.0.1", "--port", "0", "--log-level", "warn", ...flags]
  if (dataDir !== undefined) args.push("--data-dir", dataDir)
  const { SANDBOX_AGENT_NO_TOKEN: _, ...rest } = process.env
  const env = { ...rest, ...options.env, SANDBOX_AGENT_TOKEN: token }
  // A group of its own: Ctrl-C is for us, and what we do about it is more than ending the daemon.
  const child = spawn(program, args, { detached: true, stdio: ["ignore", "pipe", "pipe"], env })
  const watch = endWithUs(child.pid ?? 0)
  const daemon = new Child(child, watch)
  const url = await poll(healthWaitMs, async () => {
    if (daemon.ended) return ""
    const address = /https?:\/\/[^\s"',\\]+/.exec(daemon.output)?.[0]?.replace(/\/$/, "")
    return address && (await isHealthy(address)) ? address : undefined
  })
  if (url)
    return {
      connection: { endpoint: url, token, own: true },
      stop: () => daemon.stop(),
      kill: () => daemon.kill(),
      crash: () => daemon.crash(),
    }
  const reason = daemon.ended ? "ended at once" : `did not answer within ${healthWaitMs / 1000} s`
  daemon.kill()
  throw new SandboxAgentError(
    "unavailable",
    `the daemon for this command ${reason}: ${daemon.errors.trim() || "no output"}`,
    {
      hint: "`sandbox-agent server` shows what is wrong",
    },
  )
}

/** Ends the daemon also when we are killed: the shell's stdin closes with us. */
function endWithUs(pid: number): ChildProcess {
  const script = `trap '' INT TERM HUP; read -r word || kill -TERM ${pid}`
  const watch = spawn("sh", ["-c", script], { detached: true, stdio: ["pipe", "ignore", "ignore"] })
  watch.on("error", () => {})
  watch.stdin?.on("error", () => {})
  watch.unref()
  return watch
}

class Child {
  output = ""
  errors = ""
  private readonly exited: Promise<void>
  private over: boolean = false

  constructor(
    private readonly child: ChildProcess,
    private readonly watch: ChildProcess,
  ) {
    this.exited = new Promise((resolve) => {
      const end = (): void => {
        this.over = true
        this.watch.stdin?.end("over\n")
        resolve()
      }
      child.on("exit", end)
      child.on("error", end)
    })
    child.stdout?.on("data", (chunk) => {
      this.output = (this.output + String(chunk)).slice(-keptErrorChars)
    })
    child.stderr?.on("data", (chunk) => {
      this.errors = (this.errors + String(chunk)).slice(-keptErrorChars)
    })
  }

  get ended(): boolean {
    return this.over
  }

  kill(): void {
    if (!this.over) this.child.kill("SIGTERM")
  }

  async crash(): Promise<void> {
    this.child.kill("SIGKILL")
    await this.exited
  }

  async stop(): Promise<void> {
    this.kill()
    const late = setTimeout(() => this.child.kill("SIGKILL"), limits.shutdownMs * 2)
    await this.exited
    clearTimeout(late)
  }
}

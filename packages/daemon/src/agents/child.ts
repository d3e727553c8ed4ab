import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import type { Exit, Host } from "../core/driver.ts"
import type { Child, SpawnOptions } from "../core/supervisor.ts"
import { killWithGroup } from "./family.ts"
import { Input } from "./input.ts"
import type { Launched } from "./launch.ts"
import { LineSplitter } from "./lines.ts"
import { killGroup, rssOf } from "./proc.ts"
import { Reading, within } from "./reading.ts"
import { StderrKeeper } from "./stderr.ts"

export interface ChildHost {
  log: Host["log"]
  /** Kills whatever still carries this child's mark. */
  sweep(): Promise<void>
  /** With each line. */
  heard(): void
}

/** One process with all it starts. Whatever way it ends, what it left behind is killed. */
export class OwnedChild implements Child {
  readonly pid: number
  readonly startedAt = Date.now()
  readonly exited: Promise<Exit>
  /** After `exited`, when what the child left behind is gone too. */
  readonly settled: Promise<Exit>
  readonly #input: Input
  readonly #stdout: Reading
  readonly #stderr: Reading
  readonly #kept = new StderrKeeper()
  readonly #dead: Promise<unknown>
  readonly #unkillable = Promise.withResolvers<void>()
  #alive: boolean = true
  #mute = false
  #swept: Promise<void> = Promise.resolve()
  #stopping: Promise<Exit> | undefined
  #killing: Promise<Exit> | undefined

  constructor(
    private readonly process: Launched,
    private readonly options: SpawnOptions,
    private readonly host: ChildHost,
  ) {
    this.pid = process.pid
    this.#input = new Input(process.stdin, options.label)
    const lines = new LineSplitter({
      onLine: (line) => {
        host.heard()
        this.#guard(() => options.onLine(line))
      },
      onOversize: (head, bytes) => this.#guard(() => options.onOversize?.(head, bytes)),
    })
    this.#stdout = new Reading(process.stdout, {
      take: (chunk) => lines.push(chunk),
      end: () => lines.end(),
      gate: () => options.gate?.(),
    })
    this.#stderr = new Reading(process.stderr, {
      take: (chunk) => this.#kept.push(chunk),
      end: () => this.#kept.end(),
    })
    this.#dead = Promise.race([process.exited, this.#unkillable.promise])
    this.exited = this.#live()
    if (options.endsWithOutput) void this.#stdout.done.then(() => this.#endMute())
    this.settled = this.exited.then(async (exit) => {
      await this.#swept
      return exit
    })
  }

  get alive(): boolean {
    return this.#alive
  }

  async write(line: string): Promise<void> {
    try {
      await this.#input.write(line)
    } catch (error) {
      if (SandboxAgentError.is(error)) throw error
      // A broken pipe mostly means death; its report says more than the error of the pipe.
      await within(limits.terminateMs / 3, this.exited)
      throw this.#alive ? this.#lost("closed its input", {}) : this.#lost("is gone", await this.exited)
    }
  }

  signal(name: NodeJS.Signals): void {
    if (this.#alive) this.process.kill(name)
  }

  endInput(): void {
    this.#input.end()
  }

  stop(options: { politeMs?: number; graceMs?: number } = {}): Promise<Exit> {
    this.#stopping ??= this.#stop(options.politeMs ?? limits.closeMs, options.graceMs ?? limits.terminateMs)
    return this.#stopping
  }

  kill(): Promise<Exit> {
    this.#killing ??= this.#kill()
    return this.#killing
  }

  rssBytes(): number | undefined {
    return this.#alive ? rssOf(this.pid) : undefined
  }

  async #live(): Promise<Exit> {
    await this.#dead
    this.#alive = false
    // First of all: leftovers may hold our pipes, and the end of those is waited for.
    killGroup(this.pid, "SIGKILL")
    this.#swept = this.host.sweep()
    this.#input.close(this.#lost("is gone", this.#exit()))
    await Promise.all([this.#stdout.finish(), this.#stderr.finish()])
    const exit = this.#exit()
    this.#guard(() => this.options.onExit(exit))
    return exit
  }

  /** Nothing it does can reach us any more: whoever waits for it would wait for ever. */
  async #endMute(): Promise<void> {
    if (await within(limits.closeMs, this.#dead)) return
    this.#mute = true
    await this.kill()
  }

  async #stop(politeMs: number, graceMs: number): Promise<Exit> {
    this.endInput()
    if (!(await within(politeMs, this.#dead))) {
      if (this.#alive) killGroup(this.pid, "SIGTERM")
      if (!(await within(graceMs, this.#dead))) return this.kill()
    }
    return this.#settle()
  }

  async #kill(): Promise<Exit> {
    // While it lives it is still seen who stems from it, whatever they shed.
    if (this.#alive) killWithGroup(this.pid)
    // A process stuck in the kernel dies when the kernel lets it; nobody waits for that.
    if (!(await within(limits.terminateMs, this.#dead))) this.#unkillable.resolve()
    return this.#settle()
  }

  /** Whoever ends a child need not wait for a gate that nobody may open any more. */
  async #settle(): Promise<Exit> {
    if (!(await within(limits.terminateMs, this.exited))) {
      this.#stdout.cancel()
      this.#stderr.cancel()
    }
    return this.settled
  }

  #exit(): Exit {
    const code = this.process.exitCode ?? undefined
    const signal = this.process.signalCode === null ? undefined : String(this.process.signalCode)
    const how = this.#mute
      ? "closed its output and was ended"
      : signal
        ? `was ended by ${signal}`
        : code === undefined
          ? "does not die"
          : `exited with code ${code}`
    return { code, signal, stderr: this.#kept.report(), message: `${this.options.label} ${how}` }
  }

  #lost(how: string, { code, signal, stderr, message }: Exit): SandboxAgentError {
    const detail = message ?? `${this.options.label} ${how}`
    return new SandboxAgentError("agent_process_exited", detail, { exitCode: code, signal, stderr })
  }

  /** A fault in a handler is the daemon's and must not end the reading of the next line. */
  #guard(handler: () => void): void {
    try {
      handler()
    } catch (error) {
      const { label, owner } = this.options
      this.host.log("error", "handler of an agent's process failed", { label, owner, error: String(error) })
    }
  }
}

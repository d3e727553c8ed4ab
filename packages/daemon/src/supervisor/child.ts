import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import type { Host } from "../core/driver.ts"
import type { Exit } from "../core/driver-sink.ts"
import type { Child, SpawnOptions } from "../core/supervisor.ts"
import { Input } from "./input.ts"
import type { Launched } from "./launch.ts"
import { LineSplitter } from "./lines.ts"
import { rssOf } from "./proc.ts"
import { ProcessLifetime } from "./process-lifetime.ts"
import { Reading, within } from "./reading.ts"
import { StderrKeeper } from "./stderr.ts"

export interface ChildHost {
  log: Host["log"]
  /** Kills every process that still has this child's tag. */
  sweep(): Promise<void>
  /** With each line. */
  heard(): void
}

/** A process of an agent, which speaks in lines, with all it starts. */
export class OwnedChild implements Child {
  readonly pid: number
  readonly #life: ProcessLifetime<Exit>
  readonly #input: Input
  readonly #stdout: Reading
  readonly #stderr: Reading
  readonly #kept = new StderrKeeper()
  #mute = false

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
    this.#life = new ProcessLifetime(process, {
      sweep: () => host.sweep(),
      endInput: () => this.endInput(),
      finish: () => this.#finish(),
      cancel: () => {
        this.#stdout.cancel()
        this.#stderr.cancel()
      },
    })
    if (options.endsWithOutput) void this.#stdout.done.then(() => this.#endMute())
  }

  get alive(): boolean {
    return this.#life.alive
  }

  get startedAt(): number {
    return this.#life.startedAt
  }

  get exited(): Promise<Exit> {
    return this.#life.exited
  }

  get settled(): Promise<Exit> {
    return this.#life.settled
  }

  async write(line: string): Promise<void> {
    try {
      await this.#input.write(line)
    } catch (error) {
      if (SandboxAgentError.is(error)) throw error
      // A broken pipe mostly means death; its report says more than the error of the pipe.
      await within(limits.terminateMs / 3, this.exited)
      throw this.alive ? this.#lost("closed its input", {}) : this.#lost("is gone", await this.exited)
    }
  }

  signal(name: NodeJS.Signals): void {
    if (this.alive) this.process.kill(name)
  }

  endInput(): void {
    this.#input.end()
  }

  stop(options: { politeMs?: number; graceMs?: number } = {}): Promise<Exit> {
    return this.#life.stop(options.politeMs, options.graceMs)
  }

  kill(): Promise<Exit> {
    return this.#life.kill()
  }

  rssBytes(): number | undefined {
    return this.alive ? rssOf(this.pid) : undefined
  }

  async #finish(): Promise<Exit> {
    this.#input.close(this.#lost("is gone", this.#exit()))
    await Promise.all([this.#stdout.finish(), this.#stderr.finish()])
    const exit = this.#exit()
    this.#guard(() => this.options.onExit(exit))
    return exit
  }

  /** Nothing it does can reach us any more: whoever waits for it would wait for ever. */
  async #endMute(): Promise<void> {
    if (await within(limits.closeMs, this.#life.dead)) return
    this.#mute = true
    await this.kill()
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

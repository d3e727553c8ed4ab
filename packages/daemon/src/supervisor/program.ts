import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Program, ProgramExit, ProgramOptions, TerminalSize } from "../core/supervisor.ts"
import { Input } from "./input.ts"
import type { Launched } from "./launch.ts"
import { killGroup, rssOf } from "./proc.ts"
import { ProcessLifetime } from "./process-lifetime.ts"
import { Reading } from "./reading.ts"

export interface ProgramHost {
  sweep(): Promise<void>
  /** With each piece of output. */
  heard(): void
}

export const exitOf = ({ exitCode, signalCode }: Pick<Launched, "exitCode" | "signalCode">): ProgramExit =>
  signalCode === null ? { code: exitCode ?? undefined } : { signal: String(signalCode) }

/** What is written to one that is gone. */
export const closedInput = (label: string): SandboxAgentError =>
  new SandboxAgentError("conflict", `${label} takes no input any more`)

/** A program of a client on three pipes, with all it starts. */
export class OwnedProgram implements Program {
  readonly #life: ProcessLifetime<ProgramExit>
  readonly #input: Input

  constructor(process: Launched, options: ProgramOptions, host: ProgramHost) {
    this.#input = new Input(process.stdin, options.label)
    const read = (stream: "stdout" | "stderr") =>
      new Reading(process[stream], {
        take: (bytes) => {
          host.heard()
          options.onOutput(stream, bytes)
        },
        end: () => {},
        gate: () => options.gate?.(stream),
      })
    const readings = [read("stdout"), read("stderr")]
    this.#life = new ProcessLifetime(process, {
      sweep: () => host.sweep(),
      endInput: () => this.#input.end(),
      finish: async () => {
        this.#input.close(closedInput(options.label))
        await Promise.all(readings.map((reading) => reading.finish()))
        return exitOf(process)
      },
      cancel: () => {
        for (const reading of readings) reading.cancel()
      },
    })
  }

  get pid(): number {
    return this.#life.pid
  }

  get alive(): boolean {
    return this.#life.alive
  }

  get startedAt(): number {
    return this.#life.startedAt
  }

  get exited(): Promise<ProgramExit> {
    return this.#life.exited
  }

  get settled(): Promise<ProgramExit> {
    return this.#life.settled
  }

  write(bytes: Uint8Array): Promise<void> {
    return this.#input.write(bytes)
  }

  endInput(): void {
    this.#input.end()
  }

  signal(name: NodeJS.Signals): boolean {
    return this.alive && killGroup(this.pid, name)
  }

  resize(_size: TerminalSize): void {
    throw new SandboxAgentError("conflict", "it has no terminal")
  }

  halt(): boolean {
    return false
  }

  stop({ politeMs, graceMs }: { politeMs?: number; graceMs?: number } = {}): Promise<ProgramExit> {
    return this.#life.stop(politeMs, graceMs)
  }

  kill(): Promise<ProgramExit> {
    return this.#life.kill()
  }

  rssBytes(): number | undefined {
    return this.alive ? rssOf(this.pid) : undefined
  }
}

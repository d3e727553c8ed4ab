import type { Program, ProgramExit, TerminalSize } from "../core/supervisor.ts"
import type { LaunchedTerminal } from "./launch.ts"
import { killGroup, rssOf } from "./proc.ts"
import { ProcessLifetime } from "./process-lifetime.ts"
import { exitOf, type ProgramHost } from "./program.ts"
import type { TerminalEnd } from "./terminal-end.ts"

/** What a terminal makes the end of input of. */
const END_OF_INPUT = new Uint8Array([4])

/** A program of a client on a terminal of its own, with all it starts. */
export class OwnedTerminal implements Program {
  readonly #life: ProcessLifetime<ProgramExit>

  constructor(
    process: LaunchedTerminal,
    private readonly end: TerminalEnd,
    host: ProgramHost,
  ) {
    end.heard = () => host.heard()
    this.#life = new ProcessLifetime(process, {
      sweep: () => host.sweep(),
      // A shell ends when its terminal is hung up, and not by SIGTERM.
      endInput: () => void this.signal("SIGHUP"),
      finish: async () => {
        await end.finish()
        return exitOf(process)
      },
      cancel: () => end.cancel(),
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
    return this.end.write(bytes)
  }

  endInput(): void {
    this.write(END_OF_INPUT).catch(() => undefined)
  }

  signal(name: NodeJS.Signals): boolean {
    return this.alive && killGroup(this.pid, name)
  }

  resize(size: TerminalSize): void {
    this.end.resize(size)
  }

  halt(halted: boolean): boolean {
    return this.alive && this.end.halt(halted)
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

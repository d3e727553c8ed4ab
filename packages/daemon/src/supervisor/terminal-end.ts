import { chownSync } from "node:fs"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { processLimits } from "@sandbox-agent/schema/limits"
import type { ProgramOptions, TerminalSize } from "../core/supervisor.ts"
import { haltTerminal, terminalOf } from "../linux/terminal-device.ts"
import { type LaunchedTerminal, type LaunchOptions, launchTerminal } from "./launch.ts"
import { within } from "./reading.ts"

/** Silence after which the terminal of a dead process is given up: something foreign holds its other end. */
const quietMs = 250

/** Our end of a terminal: what comes from it, and what goes to it. */
export class TerminalEnd {
  readonly done: Promise<void>
  readonly #done = Promise.withResolvers<void>()
  #process: LaunchedTerminal | undefined
  #waiting: { bytes: number; done: PromiseWithResolvers<void> } | undefined
  #bytes = 0
  heard = () => {}

  constructor(
    private readonly options: ProgramOptions,
    private readonly size: TerminalSize,
    /** Whose the terminal shall be. */
    private readonly user: { uid: number; gid: number } | undefined,
  ) {
    this.done = this.#done.promise
  }

  launch(launching: LaunchOptions): LaunchedTerminal {
    const process = launchTerminal(launching, {
      ...this.size,
      data: (_, bytes) => {
        this.#bytes += bytes.length
        this.heard()
        this.options.onOutput("pty", bytes)
      },
      drain: () => {
        this.#waiting?.done.resolve()
        this.#waiting = undefined
      },
      exit: () => this.#done.resolve(),
    })
    this.#process = process
    const device = this.user === undefined ? undefined : terminalOf(process.pid)
    // Programs that open their terminal again by its name could not, were it ours.
    if (device !== undefined && this.user !== undefined) chownSync(device, this.user.uid, this.user.gid)
    return process
  }

  /** Resolves when the terminal has taken them. */
  async write(bytes: Uint8Array): Promise<void> {
    const terminal = this.#process?.terminal
    if (terminal === undefined || terminal.closed) throw new SandboxAgentError("conflict", "the terminal is closed")
    const before = this.#waiting?.bytes ?? 0
    if (before > 0 && before + bytes.length > processLimits.terminalInputBytes)
      throw new SandboxAgentError("unavailable", `${this.options.label} does not read its input`)
    this.#waiting ??= { bytes: 0, done: Promise.withResolvers() }
    this.#waiting.bytes += bytes.length
    const { promise } = this.#waiting.done
    terminal.write(bytes)
    await Promise.race([promise, this.done])
  }

  resize({ cols, rows }: TerminalSize): void {
    this.#process?.terminal?.resize(cols, rows)
  }

  halt(halted: boolean): boolean {
    const pid = this.#process?.pid
    return pid !== undefined && haltTerminal(pid, halted)
  }

  /** Its program is dead: takes what it left, but not for ever. */
  async finish(): Promise<void> {
    for (let before = -1; before !== this.#bytes; ) {
      before = this.#bytes
      if (await within(quietMs, this.done)) break
    }
    this.cancel()
  }

  cancel(): void {
    this.#done.resolve()
    this.#process?.terminal?.close()
  }
}

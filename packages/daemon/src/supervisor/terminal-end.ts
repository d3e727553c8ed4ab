import { chownSync } from "node:fs"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { processLimits } from "@sandbox-agent/schema/process-limits"
import type { ProgramOptions, TerminalSize } from "../core/supervisor.ts"
import { haltTerminal, terminalOf } from "../linux/terminal-device.ts"
import { type LaunchedTerminal, type LaunchOptions, launchTerminal } from "./launch.ts"
import { within } from "./reading.ts"

/** Silence after which the terminal of a dead process is given up: something foreign holds its other end. */
const quietMs = 250

/**
 * Bun tells of a write that the terminal has taken it (`drain`) where it had buffered it: always what is smaller than a
 * page, but never what is larger and goes out at once. So nothing larger is written.
 */
const PIECE_BYTES = 4_000

/** Our end of a terminal: what comes from it, and what goes to it. */
export class TerminalEnd {
  readonly done: Promise<void>
  readonly #done = Promise.withResolvers<void>()
  #process: LaunchedTerminal | undefined
  /** Bytes that are to be written. */
  #waiting = 0
  /** The last of them is written. */
  #written: Promise<void> = Promise.resolve()
  #drained = () => {}
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
      drain: () => this.#drained(),
      exit: () => this.#done.resolve(),
    })
    this.#process = process
    const device = this.user === undefined ? undefined : terminalOf(process.pid)
    // Programs that open their terminal again by its name could not, were it ours.
    if (device !== undefined && this.user !== undefined) chownSync(device, this.user.uid, this.user.gid)
    return process
  }

  /** Resolves when the terminal has taken them. Those of one call stand together, whoever else writes. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#closed) throw new SandboxAgentError("conflict", "the terminal is closed")
    if (this.#waiting > 0 && this.#waiting + bytes.length > processLimits.terminalInputBytes)
      throw new SandboxAgentError("unavailable", `${this.options.label} does not read its input`)
    this.#waiting += bytes.length
    this.#written = this.#written.then(() => this.#write(bytes))
    await Promise.race([this.#written, this.done])
  }

  async #write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length && !this.#closed; at += PIECE_BYTES) {
      const piece = bytes.subarray(at, at + PIECE_BYTES)
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#drained = resolve
      this.#process?.terminal?.write(piece)
      await Promise.race([promise, this.done])
      this.#waiting -= piece.length
    }
  }

  get #closed(): boolean {
    return this.#process?.terminal?.closed ?? true
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

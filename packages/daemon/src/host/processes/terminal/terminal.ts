import { processLimits } from "@sandbox-agent/schema/process-limits"
import type { Program, TerminalSize } from "../../../core/supervisor.ts"
import { Screen } from "./screen.ts"
import { Viewer, type ViewerSocket } from "./viewer.ts"

/** The terminal of a process that runs: its screen, and those who look at it. */
export class LiveTerminal {
  readonly #viewers = new Set<Viewer>()
  #screen: Screen | undefined
  #program: Program | undefined
  #halted = false
  #stallTimer: Timer | undefined

  private constructor(public size: TerminalSize) {}

  static async open(size: TerminalSize): Promise<LiveTerminal> {
    const terminal = new LiveTerminal(size)
    terminal.#screen = await Screen.open(size, (text) => terminal.#answer(text))
    return terminal
  }

  get viewers(): number {
    return this.#viewers.size
  }

  get title(): string {
    return this.#screen?.title ?? ""
  }

  runs(program: Program): void {
    this.#program = program
  }

  /** What its program wrote; lent for the moment. */
  output(bytes: Uint8Array): void {
    for (const viewer of this.#viewers) viewer.give(bytes)
    this.#screen?.write(bytes)
    this.#pace()
  }

  /** Gets the screen as it is now, and all that follows. */
  attach(outlet: ViewerSocket): Viewer {
    const viewer = new Viewer(outlet, () => this.snapshot())
    outlet.send(this.snapshot())
    this.#viewers.add(viewer)
    this.#pace()
    return viewer
  }

  leave(viewer: Viewer): void {
    this.#viewers.delete(viewer)
    this.#pace()
  }

  drained(viewer: Viewer): void {
    viewer.drained()
    this.#pace()
  }

  resize(size: TerminalSize): void {
    this.size = size
    this.#program?.resize(size)
    this.#screen?.resize(size)
    for (const { outlet } of this.#viewers) outlet.resized(size)
  }

  snapshot(): Buffer {
    return this.#screen?.snapshot() ?? Buffer.alloc(0)
  }

  /** Its program has ended. */
  end(exitCode: number | undefined, signal: string | undefined): void {
    clearTimeout(this.#stallTimer)
    for (const { outlet } of this.#viewers) outlet.ended(exitCode, signal)
    this.#viewers.clear()
    this.#screen?.close()
    this.#screen = undefined
  }

  #answer(text: string): void {
    for (const viewer of this.#viewers) viewer.answers.answered(text)
    this.#program?.write(Buffer.from(text)).catch(() => undefined)
  }

  /** Its program is as fast as the fastest of its viewers, unless none of them takes anything for long. */
  #pace(): void {
    const waited = [...this.#viewers].filter(({ stalled }) => !stalled)
    const halt = waited.length > 0 && waited.every(({ full }) => full)
    if (halt === this.#halted) return
    if (!halt) clearTimeout(this.#stallTimer)
    // Where it cannot be halted, those who are slow miss something and get the screen later.
    this.#halted = (this.#program?.halt(halt) ?? false) && halt
    if (this.#halted) this.#stallTimer = setTimeout(() => this.#giveUp(), processLimits.viewerStallMs)
  }

  #giveUp(): void {
    for (const viewer of this.#viewers) viewer.stalled ||= viewer.full
    this.#pace()
  }
}

import { processLimits } from "@sandbox-agent/schema/process-limits"
import type { TerminalSize } from "../../../core/supervisor.ts"
import { ExpectedAnswers } from "./answers.ts"

/** The way to one that looks at a terminal. */
export interface ViewerSocket {
  send(bytes: Uint8Array): void
  /** Bytes that were sent and not taken. */
  waiting(): number
  resized(size: TerminalSize): void
  /** What it shows is to be drawn anew: the next bytes are a whole screen. */
  resync(): void
  ended(exitCode: number | undefined, signal: string | undefined): void
}

/** One that looks at a terminal. It is sent all output while it takes it, and the screen as it is then when it comes back. */
export class Viewer {
  readonly answers = new ExpectedAnswers()
  /** Output was left out: it needs the whole screen before anything else. */
  #missed = false
  /** It takes nothing, and is not waited for any more. */
  stalled = false

  constructor(
    readonly outlet: ViewerSocket,
    private readonly snapshot: () => Uint8Array,
  ) {}

  /** It has as much as it may have without taking any. */
  get full(): boolean {
    return this.outlet.waiting() >= processLimits.viewerBytes
  }

  give(bytes: Uint8Array): void {
    if (this.#missed) return
    // Beyond what makes it full there is room for what was on its way when its program was halted.
    if (this.stalled || this.outlet.waiting() > 2 * processLimits.viewerBytes) this.#missed = true
    else this.outlet.send(bytes)
  }

  /** Its client has taken all. */
  drained(): void {
    this.stalled = false
    if (!this.#missed) return
    this.#missed = false
    this.outlet.resync()
    this.outlet.send(this.snapshot())
  }
}

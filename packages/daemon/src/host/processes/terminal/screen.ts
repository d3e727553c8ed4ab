import { processLimits } from "@sandbox-agent/schema/process-limits"
import type { TerminalSize } from "../../../core/supervisor.ts"
import { type Emulator, newEmulator } from "./emulator.ts"
import { nothing, restOf } from "./unfinished.ts"

/** Makes an empty screen of any other: back from a program's own, modes as they are at first, nothing on it or above it. */
const RESET =
  "\x1b[?1049l\x1b[!p\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1006l\x1b[?1016l\x1b[?2004l\x1b[?45l\x1b[?7h\x1b(B\x1b[r\x1b[m\x1b[H\x1b[2J\x1b[3J"

/** The screen of a terminal as it is now, with its scrollback: what its program wrote, read as a terminal reads it. */
export class Screen {
  title = ""
  readonly #emulator: Emulator
  /** The beginning of a sequence or character whose end is still to come: whoever looks now has to have it. */
  #rest: Uint8Array = nothing

  private constructor(emulator: Emulator, onAnswer: (text: string) => void) {
    this.#emulator = emulator
    emulator.onData(onAnswer)
    emulator.onTitleChange((title) => {
      this.title = title.slice(0, processLimits.terminalTitleChars)
    })
  }

  /** `onAnswer`: what a terminal says by itself when a program asks it something. */
  static async open(size: TerminalSize, onAnswer: (text: string) => void): Promise<Screen> {
    return new Screen(await newEmulator(size), onAnswer)
  }

  write(bytes: Uint8Array): void {
    this.#emulator.parse(bytes)
    this.#rest = restOf(this.#rest, bytes, this.#emulator.isBetweenSequences())
  }

  resize({ cols, rows }: TerminalSize): void {
    this.#emulator.resize(cols, rows)
  }

  /** Draws this screen on any other, whatever is on that one. */
  snapshot(): Buffer {
    return Buffer.concat([Buffer.from(RESET + this.#emulator.serialize()), this.#rest])
  }

  close(): void {
    this.#emulator.dispose()
  }
}

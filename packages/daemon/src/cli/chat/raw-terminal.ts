import type { Screen } from "./screen.ts"

const pasteOn = "\x1b[?2004h"
const pasteOff = "\x1b[?2004l"

/** Signals that end a program; the terminal is put right before. */
const endings = { SIGTERM: 143, SIGHUP: 129 } as const

/** Takes the terminal for keys, and gives it back however the program ends. */
export class RawTerminal {
  #on = false
  readonly #restores: [name: string, listener: (...given: never[]) => void][] = []

  constructor(
    private readonly screen: Screen,
    onKeys: (bytes: Uint8Array) => void,
    private readonly onEnd: () => void,
  ) {
    process.stdin.on("data", onKeys)
    this.#listen("exit", () => this.#restoreNow())
    this.#listen("uncaughtException", (error: Error) => this.#die(error))
    this.#listen("unhandledRejection", (error: unknown) => this.#die(error))
    for (const [signal, code] of Object.entries(endings)) this.#listen(signal, () => this.#endWith(code))
    this.#take()
  }

  async close(): Promise<void> {
    await this.screen.close()
    this.#giveBack()
    for (const [name, listener] of this.#restores) process.off(name, listener as () => void)
    process.stdin.pause()
  }

  #take(): void {
    this.#on = true
    process.stdin.setRawMode(true)
    process.stdin.resume()
    process.stdout.write(pasteOn)
  }

  #giveBack(): void {
    if (!this.#on) return
    this.#on = false
    process.stdout.write(pasteOff)
    process.stdin.setRawMode(false)
  }

  #restoreNow(): void {
    this.screen.closeNow()
    this.#giveBack()
  }

  #endWith(code: number): void {
    this.#restoreNow()
    this.onEnd()
    process.exit(code)
  }

  #die(error: unknown): void {
    this.#restoreNow()
    process.stderr.write(`error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
    this.onEnd()
    process.exit(70)
  }

  #listen(name: string, listener: (...given: never[]) => void): void {
    this.#restores.push([name, listener])
    process.on(name, listener as () => void)
  }
}

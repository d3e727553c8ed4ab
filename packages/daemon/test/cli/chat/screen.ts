import { readFileSync } from "node:fs"
import { daemonProgram } from "@sandbox-agent/test-agents/daemon-program"
import { Terminal } from "@xterm/headless"
import { noteOnFailure } from "../../harness/notes.ts"
import { cleanEnvironment } from "../spawn.ts"

export interface ScreenOptions {
  readonly env?: Record<string, string>
  readonly cwd?: string
  readonly columns?: number
  readonly rows?: number
  /** Words of a shell that runs it as "$@". */
  readonly shell?: string
  /** In place of the command line. */
  readonly program?: readonly string[]
}

/** The command line in a real terminal, seen as a person sees it: `await using shown = openScreen([...])`. */
export class ShownCli implements AsyncDisposable {
  readonly #terminal: Terminal
  readonly #child: Bun.Subprocess
  #looked = Promise.withResolvers<void>()
  #drawn: Promise<void> = Promise.resolve()
  readonly #isInShell: boolean
  raw = ""

  constructor(args: readonly string[], options: ScreenOptions) {
    const { env = {}, cwd, columns = 80, rows = 30, shell, program = daemonProgram() } = options
    this.#terminal = new Terminal({ cols: columns, rows, scrollback: 2_000, allowProposedApi: true })
    this.#isInShell = shell !== undefined
    const decoder = new TextDecoder()
    this.#child = Bun.spawn([...(shell === undefined ? [] : ["sh", "-c", shell, "sh"]), ...program, ...args], {
      env: { ...cleanEnvironment, TERM: "xterm-256color", ...env },
      cwd,
      terminal: {
        cols: columns,
        rows,
        data: (_, bytes) => {
          this.raw += decoder.decode(bytes, { stream: true })
          this.#drawn = new Promise((resolve) => this.#terminal.write(bytes, resolve))
          void this.#drawn.then(() => {
            this.#looked.resolve()
            this.#looked = Promise.withResolvers()
          })
        },
      },
    })
    noteOnFailure(this, () => `the screen was:\n${this.text()}`)
  }

  /** The command itself, also where a shell runs it. */
  get pid(): number {
    const { pid } = this.#child
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim()
    return this.#isInShell ? Number(children.split(" ")[0]) : pid
  }

  get exited(): Promise<number> {
    return this.#child.exited.then(async (code) => {
      await this.#drawn
      return code
    })
  }

  type(keys: string): void {
    this.#child.terminal?.write(keys)
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows)
    this.#child.terminal?.resize(columns, rows)
  }

  /** All that was shown, scrolled away or not, without what the rows are filled up with. */
  text(): string {
    const { active } = this.#terminal.buffer
    const lines = Array.from({ length: active.length }, (_, i) => active.getLine(i)?.translateToString(true) ?? "")
    return lines.join("\n").trimEnd()
  }

  /** Whether the program left the cursor, the keys and the screen as a shell wants them. */
  get modes(): { bracketedPaste: boolean; cursorHidden: boolean; alternateScreen: boolean } {
    const hidden = this.raw.lastIndexOf("\x1b[?25l") > this.raw.lastIndexOf("\x1b[?25h")
    const { modes, buffer } = this.#terminal
    const alternateScreen = buffer.active.type === "alternate"
    return { bracketedPaste: modes.bracketedPasteMode, cursorHidden: hidden, alternateScreen }
  }

  /** Waits until the screen shows it. */
  async until(words: string | RegExp): Promise<string> {
    for (;;) {
      const text = this.text()
      if (typeof words === "string" ? text.includes(words) : words.test(text)) return text
      const { promise } = this.#looked
      const ended = await Promise.race([promise.then(() => false), this.#child.exited.then(() => true)])
      if (!ended) continue
      await this.#drawn
      const last = this.text()
      if (typeof words === "string" ? last.includes(words) : words.test(last)) return last
      throw new Error(`the program ended without ${String(words)}; it showed:\n${last}`)
    }
  }

  /** Waits until something is drawn. */
  async drawn(): Promise<void> {
    await this.#looked.promise
  }

  kill(signal: NodeJS.Signals): void {
    process.kill(this.pid, signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL")
    await this.#child.exited
  }
}

export const openScreen = (args: readonly string[], options: ScreenOptions = {}): ShownCli =>
  new ShownCli(args, options)

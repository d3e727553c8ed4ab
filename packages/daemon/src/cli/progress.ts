import { err, printable, type Terminal } from "./print.ts"
import { fit } from "./table.ts"

/** Progress of an install. */
export interface Progress {
  readonly phase?: string
  readonly bytes?: number
  readonly total?: number
  readonly source?: string
  readonly message?: string
}

const mib = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`

const phaseOf = ({ phase = "installing" }: Progress): string => phase
const words = (text: string): string => printable(text).replace(/\s+/g, " ").trim()

/** One line that is written over itself; wider than the screen it would leave its head behind. */
export function progressLine(progress: Progress, terminal: Terminal, name = ""): string {
  const { bytes, total, message } = progress
  const width = Math.max(10, Math.min(30, terminal.width - 50))
  const share = bytes !== undefined && total ? Math.min(1, bytes / total) : undefined
  const done = share === undefined ? 0 : Math.round(share * width)
  const bar = share === undefined ? "" : ` [${"#".repeat(done)}${"-".repeat(width - done)}] ${Math.floor(share * 100)}%`
  const amount = share === undefined && !bytes ? "" : ` ${mib(bytes ?? 0)}${total ? ` of ${mib(total)}` : ""}`
  const said = message ? ` ${words(message)}` : ""
  const text = `${name ? `${name}: ` : ""}${words(phaseOf(progress))}${bar}${amount}${said}`
  return `\r\x1b[K${fit(text, terminal.width - 1)}`
}

/** On a terminal one line that moves; elsewhere a line for each step and one for its size, and none for each piece of it. */
export class ProgressPrinter {
  #last: Progress | undefined

  constructor(
    private readonly terminal: Terminal,
    private readonly name = "",
    private readonly write: (text: string) => Promise<void> = err,
  ) {}

  async show(given: Progress): Promise<void> {
    const same = this.#last !== undefined && phaseOf(this.#last) === phaseOf(given)
    // Numbers come without words; those of their step still hold.
    const progress = same && !given.message ? { ...given, message: this.#last?.message } : given
    const shownBefore =
      same &&
      this.#last?.message === progress.message &&
      this.#last?.source === progress.source &&
      this.#last?.total === progress.total
    this.#last = progress
    if (this.terminal.tty) await this.write(progressLine(progress, this.terminal, this.name))
    else if (!shownBefore) await this.write(this.#step(progress))
  }

  /** Before anything else is written. */
  async clear(): Promise<void> {
    const shown = this.#last !== undefined && this.terminal.tty
    this.#last = undefined
    if (shown) await this.write("\r\x1b[K")
  }

  #step({ source, message, total, ...progress }: Progress): string {
    const from = source ? ` (${words(source)})` : ""
    const said = [message && words(message), total && mib(total)].filter(Boolean).join(", ")
    return `${this.name ? `${this.name}: ` : ""}${words(phaseOf(progress))}${from}${said ? `: ${said}` : ""}\n`
  }
}

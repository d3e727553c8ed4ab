import { writeTo } from "../print.ts"

/** xterm.js, of which the terminal of VS Code is made, leaves the row with the cursor to the program and cuts it. */
const wrapsRowOfCursor = process.env.TERM_PROGRAM !== "vscode"

/** What stands under the conversation, and where the cursor is in it. */
export interface Bottom {
  readonly rows: readonly string[]
  readonly cursor: { readonly row: number; readonly column: number } | undefined
}

/** The conversation goes up into the scrollback as any output does; the bottom is drawn again whenever it changes. */
export class Screen {
  /** The bottom as it was drawn last, down to the row of the cursor: how wide its rows are, and where the cursor stands. */
  #drawn: { readonly widths: readonly number[]; readonly column: number } = { widths: [], column: 0 }
  #pending: string[] = []
  #bottom: () => Bottom = () => ({ rows: [], cursor: undefined })
  #scheduled = false
  #closed = false

  constructor(readonly stream: NodeJS.WriteStream = process.stdout) {}

  /** One column stays free: a full row would make some terminals wrap. */
  get width(): number {
    return Math.max(20, (this.stream.columns || 80) - 1)
  }

  get height(): number {
    return Math.max(5, this.stream.rows || 24)
  }

  draw(bottom: () => Bottom): void {
    this.#bottom = bottom
    this.changed()
  }

  /** Rows that stay. */
  print(rows: readonly string[]): void {
    this.#pending.push(...rows)
    this.changed()
  }

  /** Drawn once for all that changed in one go. */
  changed(): void {
    if (this.#scheduled || this.#closed) return
    this.#scheduled = true
    setImmediate(() => this.flush())
  }

  flush(): void {
    this.#scheduled = false
    if (this.#closed) return
    const { rows, cursor } = this.#bottom()
    // Of a bottom that is higher than the screen the end is what counts.
    const shown = rows.slice(-this.height + 1)
    const hidden = rows.length - shown.length
    const row = cursor === undefined ? shown.length - 1 : Math.max(0, cursor.row - hidden)
    const up = shown.length - 1 - row
    const place =
      cursor === undefined ? "\x1b[?25l" : `${up > 0 ? `\x1b[${up}A` : ""}\r${right(cursor.column)}\x1b[?25h`
    this.#write(`${this.#erase()}${this.#take()}${shown.join("\r\n")}${place}`)
    const widths = shown.slice(0, row + 1).map((text) => Bun.stringWidth(text))
    // At the end of a full row it stands on the last letter.
    const column = cursor === undefined ? Math.max(0, (widths.at(-1) ?? 0) - 1) : cursor.column
    this.#drawn = { widths, column }
  }

  /** The bottom goes, what was said stays. */
  async close(): Promise<void> {
    if (this.#closed) return
    const text = `${this.#erase()}${this.#take()}\x1b[?25h`
    this.#closed = true
    await writeTo(this.stream, text)
  }

  /** The same without waiting, for the last moment of a process. */
  closeNow(): void {
    if (this.#closed) return
    this.#write(`${this.#erase()}\x1b[?25h`)
    this.#closed = true
  }

  #take(): string {
    const text = this.#pending.map((row) => `${row}\r\n`).join("")
    this.#pending = []
    return text
  }

  #erase(): string {
    const above = this.#above()
    this.#drawn = { widths: [], column: 0 }
    return `${above > 0 ? `\x1b[${above}A` : ""}\r\x1b[J`
  }

  /** Rows of the bottom above the cursor. A terminal that became narrower has wrapped what was drawn in it. */
  #above(): number {
    const columns = this.stream.columns || 80
    const { widths, column } = this.#drawn
    const before = widths.slice(0, -1).reduce((rows, width) => rows + Math.max(1, Math.ceil(width / columns)), 0)
    return before + (wrapsRowOfCursor ? Math.floor(column / columns) : 0)
  }

  #write(text: string): void {
    this.stream.write(text)
  }
}

const right = (columns: number): string => (columns > 0 ? `\x1b[${columns}C` : "")

/** The rows of a text that is being written, and the place of the cursor after `before`. */
export function inputRows(prompt: string, text: string, before: string, width: number): Bottom {
  const indent = " ".repeat(Bun.stringWidth(prompt))
  const lay = (whole: string): string[] =>
    whole
      .split("\n")
      .flatMap((line, i) => cut(line, width - indent.length).map((row, j) => (i + j === 0 ? prompt : indent) + row))
  const upTo = lay(before)
  return { rows: lay(text), cursor: { row: upTo.length - 1, column: Bun.stringWidth(upTo.at(-1) ?? "") } }
}

/** By letters, so that what stands before the cursor is laid out alike without what follows it. */
function cut(line: string, width: number): string[] {
  const rows = [""]
  let used = 0
  for (const letter of line) {
    const size = Bun.stringWidth(letter)
    if (used + size > width) {
      rows.push("")
      used = 0
    }
    rows[rows.length - 1] += letter
    used += size
  }
  return rows
}

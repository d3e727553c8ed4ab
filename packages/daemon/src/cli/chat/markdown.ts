import type { Paint } from "../print.ts"
import { cleanLines, wrapped } from "./wrap.ts"

/** Markdown as it comes: whole lines once they are whole, the last one as far as it is there. */
export class MarkdownStream {
  #text = ""
  #inCode = false
  #shown = 0

  constructor(
    private readonly paint: Paint,
    private readonly width: () => number,
  ) {}

  get text(): string {
    return this.#text
  }

  /** Rows of lines that are complete now. */
  push(more: string): string[] {
    this.#text += more
    const lines = cleanLines(this.#text)
    const done = lines.slice(this.#shown, -1)
    this.#shown = lines.length - 1
    return done.flatMap((line) => this.#line(line))
  }

  /** The line that is being written. */
  tail(): string[] {
    const last = cleanLines(this.#text).at(-1) ?? ""
    return last === "" ? [] : this.#render(last, this.#inCode)
  }

  /** What is left, when no more comes. */
  end(): string[] {
    const rows = this.tail()
    this.#shown = cleanLines(this.#text).length
    return rows
  }

  #line(line: string): string[] {
    if (!/^\s*(```|~~~)/.test(line)) return this.#render(line, this.#inCode)
    this.#inCode = !this.#inCode
    return []
  }

  #render(line: string, inCode: boolean): string[] {
    const { paint } = this
    const width = this.width()
    if (inCode) return wrapped(line, width - 2).map((row) => `  ${paint("cyan", row)}`)
    if (/^\s*(```|~~~)/.test(line)) return []
    const [, marks, heading] = /^(#{1,6})\s+(.*)$/.exec(line) ?? []
    if (marks !== undefined) return wrapped(paint("bold", heading ?? ""), width)
    const [, space = "", mark, item] = /^(\s*)([-*+]|\d+[.)])\s+(.*)$/.exec(line) ?? []
    if (mark !== undefined) {
      const sign = /\d/.test(mark) ? mark : "•"
      const indent = " ".repeat(space.length + sign.length + 1)
      return wrapped(`${space}${sign} ${this.#inline(item ?? "")}`, width, indent)
    }
    const [, quoted] = /^>\s?(.*)$/.exec(line) ?? []
    if (quoted !== undefined)
      return wrapped(this.#inline(quoted), width - 2).map((row) => `${paint("dim", "│")} ${row}`)
    if (/^\s*([-*_])\s*(\1\s*){2,}$/.test(line)) return [paint("dim", "─".repeat(Math.min(width, 40)))]
    return wrapped(this.#inline(line), width)
  }

  #inline(text: string): string {
    const { paint } = this
    return text
      .split(/(`[^`]+`)/)
      .map((part) =>
        part.startsWith("`") && part.length > 2
          ? paint("cyan", part.slice(1, -1))
          : part
              .replace(/\*\*([^*]+)\*\*/g, (_, bold: string) => paint("bold", bold))
              .replace(
                /\[([^\]]+)\]\(([^)\s]+)\)/g,
                (_, words: string, url: string) => `${words} ${paint("dim", `(${url})`)}`,
              ),
      )
      .join("")
  }
}

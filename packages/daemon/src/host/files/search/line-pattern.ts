import { fileLimits } from "@sandbox-agent/schema/file-limits"
import type { SearchQuery } from "./query.ts"

/** A line with a match: where it is in the text, without its end, and where in the text the match begins. */
export interface FoundLine {
  line: number
  start: number
  end: number
  index: number
}

/** What is searched for, line by line: no match goes on in the next one, and `^` and `$` are the ends of a line. */
export class LinePattern {
  readonly #expression: RegExp
  readonly #isLiteral: boolean
  /** Bytes that have to be in a file; far faster than the expression. */
  readonly needle: Buffer | undefined

  constructor({ mode, pattern, ignoreCase }: Pick<SearchQuery, "mode" | "pattern" | "ignoreCase">) {
    this.#isLiteral = mode !== "regex"
    const source = this.#isLiteral ? pattern.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&") : pattern
    this.#expression = new RegExp(source, `${this.#isLiteral ? "g" : "s"}u${ignoreCase ? "i" : ""}`)
    this.needle = this.#isLiteral && !ignoreCase ? Buffer.from(pattern) : undefined
  }

  /** Every line with a match, once. */
  linesOf(text: string): Generator<FoundLine> {
    return this.#isLiteral ? this.#literal(text) : this.#eachLine(text)
  }

  /** A text has no ends of lines in it and is found in all of them at once. */
  *#literal(text: string): Generator<FoundLine> {
    let [line, start] = [1, 0]
    this.#expression.lastIndex = 0
    for (let found = this.#expression.exec(text); found !== null; found = this.#expression.exec(text)) {
      const { index } = found
      for (let at = text.indexOf("\n", start); at >= 0 && at < index; at = text.indexOf("\n", start)) {
        line++
        start = at + 1
      }
      const next = nextLine(text, start)
      const end = endOf(text, start, next)
      if (index + found[0].length <= end) yield { line, start, end, index }
      this.#expression.lastIndex = next
    }
  }

  /** An expression may go over its line again and again, so it gets a line of its own and no more than a part of a long one. */
  *#eachLine(text: string): Generator<FoundLine> {
    for (let [line, start] = [1, 0]; start < text.length; line++) {
      const next = nextLine(text, start)
      const end = endOf(text, start, next)
      const found = this.#expression.exec(text.slice(start, Math.min(end, start + fileLimits.searchLineLookedAt)))
      if (found !== null) yield { line, start, end, index: start + found.index }
      start = next
    }
  }
}

function nextLine(text: string, start: number): number {
  const at = text.indexOf("\n", start)
  return at < 0 ? text.length : at + 1
}

/** A line ends with LF or CR LF, the last one also without. */
function endOf(text: string, start: number, next: number): number {
  if (text[next - 1] !== "\n") return next
  return next - 2 >= start && text[next - 2] === "\r" ? next - 2 : next - 1
}

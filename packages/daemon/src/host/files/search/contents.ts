import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs"
import type { SearchMatch } from "@sandbox-agent/schema/file"
import { fileLimits } from "@sandbox-agent/schema/file-limits"
import { toText, uriOf } from "../byte-path.ts"
import { LinePattern } from "./line-pattern.ts"
import type { SearchQuery } from "./query.ts"
import type { Found } from "./walk.ts"

const FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
/** Where a NUL makes a file a binary one. */
const HEAD = 8_192

/** Lines of files in which something is. */
export class Contents {
  readonly #pattern: LinePattern
  #buffer = Buffer.allocUnsafeSlow(256 * 1024)
  /** Files that were too large. */
  large = 0

  constructor(private readonly query: SearchQuery) {
    this.#pattern = new LinePattern(query)
  }

  /** Every line with a match, once. */
  *matches(file: Found): Generator<SearchMatch> {
    const bytes = this.#read(file.there)
    const { needle } = this.#pattern
    if (bytes === undefined || (needle !== undefined && bytes.indexOf(needle) < 0)) return
    if (bytes.subarray(0, HEAD).includes(0)) return
    // A mark of the encoding belongs to no line.
    const text = bytes.toString("utf8").replace(/^\ufeff/, "")
    const { context } = this.query
    let lines: string[] | undefined
    for (const { line, start, end, index } of this.#pattern.linesOf(text)) {
      if (context > 0) lines ??= text.replace(/\n$/, "").split("\n")
      yield {
        type: "match",
        path: toText(file.path),
        uri: uriOf(file.path),
        line,
        column: index - start + 1,
        text: cut(text.slice(start, end)),
        ...(lines === undefined
          ? {}
          : {
              before: lines.slice(Math.max(0, line - 1 - context), line - 1).map(cut),
              after: lines.slice(line, line + context).map(cut),
            }),
      }
    }
  }

  #read(there: Buffer): Buffer | undefined {
    let fd: number
    try {
      fd = openSync(there, FILE)
    } catch {
      // Gone or closed to us: nothing is found in it.
      return undefined
    }
    try {
      const stats = fstatSync(fd)
      if (!stats.isFile()) return undefined
      if (stats.size > fileLimits.searchFileBytes) {
        this.large++
        return undefined
      }
      if (stats.size > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(stats.size)
      let length = 0
      for (;;) {
        const read = readSync(fd, this.#buffer, length, Math.min(this.#buffer.length, stats.size) - length, length)
        length += read
        if (read === 0 || length >= stats.size) return this.#buffer.subarray(0, length)
      }
    } finally {
      closeSync(fd)
    }
  }
}

const cut = (line: string): string => line.replace(/\r$/, "").slice(0, fileLimits.searchLineChars)

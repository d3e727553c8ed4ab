import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs"
import type { SearchMatch } from "@sandbox-agent/schema/file"
import { fileLimits } from "@sandbox-agent/schema/file-limits"
import { toText, uriOf } from "../byte-path.ts"
import type { SearchQuery } from "./query.ts"
import type { Found } from "./walk.ts"

const FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
/** Where a NUL makes a file a binary one. */
const HEAD = 8_192

/** Lines of files in which something is. */
export class Contents {
  readonly #pattern: RegExp
  /** Bytes that have to be in a file; far faster than the expression. */
  readonly #needle: Buffer | undefined
  #buffer = Buffer.allocUnsafeSlow(256 * 1024)
  /** Files that were too large. */
  large = 0

  constructor(private readonly query: SearchQuery) {
    const source = query.mode === "regex" ? query.pattern : query.pattern.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")
    this.#pattern = new RegExp(source, query.ignoreCase ? "gimu" : "gmu")
    this.#needle = query.mode === "text" && !query.ignoreCase ? Buffer.from(query.pattern) : undefined
  }

  /** Every line with a match, once. */
  *matches(file: Found): Generator<SearchMatch> {
    const bytes = this.#read(file.there)
    if (bytes === undefined || (this.#needle !== undefined && bytes.indexOf(this.#needle) < 0)) return
    if (bytes.subarray(0, HEAD).includes(0)) return
    const text = bytes.toString("utf8")
    const { context } = this.query
    let lines: string[] | undefined
    let line = 1
    let counted = 0
    this.#pattern.lastIndex = 0
    for (let found = this.#pattern.exec(text); found !== null; found = this.#pattern.exec(text)) {
      for (let at = text.indexOf("\n", counted); at >= 0 && at < found.index; at = text.indexOf("\n", counted)) {
        line++
        counted = at + 1
      }
      const end = text.indexOf("\n", found.index)
      if (context > 0) lines ??= text.split("\n")
      yield {
        type: "match",
        path: toText(file.path),
        uri: uriOf(file.path),
        line,
        column: found.index - counted + 1,
        text: cut(text.slice(counted, end < 0 ? undefined : end)),
        ...(lines === undefined
          ? {}
          : {
              before: lines.slice(Math.max(0, line - 1 - context), line - 1).map(cut),
              after: lines.slice(line, line + context).map(cut),
            }),
      }
      if (end < 0) return
      this.#pattern.lastIndex = end + 1
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

const cut = (line: string): string => line.slice(0, fileLimits.searchLineChars).replace(/\r$/, "")

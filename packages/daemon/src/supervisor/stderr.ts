import type { Stderr } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import { LineSplitter } from "./lines.ts"

/** Keeps of a process's stderr all lines while they are few, else the first and the last; never more than those. */
export class StderrKeeper {
  readonly #lines = new LineSplitter(
    { onLine: (line) => this.#keep(line), onOversize: (head) => this.#keepCut(head) },
    limits.stderrLineBytes,
    limits.stderrLineBytes,
  )
  /** The first lines, up to `stderrLinesAll`. As bytes: a string cut from a chunk would hold the whole chunk. */
  readonly #first: Buffer[] = []
  /** The last lines, as a ring. */
  readonly #last: Buffer[] = []
  #total = 0
  #cut = false

  push(chunk: Uint8Array): void {
    this.#lines.push(chunk)
  }

  end(): void {
    this.#lines.end()
  }

  /** Nothing was written: nothing is reported. */
  report(): Stderr | undefined {
    if (this.#total === 0) return undefined
    if (this.#total <= limits.stderrLinesAll) {
      return { head: text(this.#first), truncated: this.#cut, total_lines: this.#total }
    }
    const oldest = this.#total % limits.stderrLinesTail
    const last = [...this.#last.slice(oldest), ...this.#last.slice(0, oldest)]
    const head = text(this.#first.slice(0, limits.stderrLinesHead))
    return { head, tail: text(last), truncated: true, total_lines: this.#total }
  }

  #keep(line: string): void {
    const bytes = Buffer.from(line)
    if (this.#first.length < limits.stderrLinesAll) this.#first.push(bytes)
    this.#last[this.#total % limits.stderrLinesTail] = bytes
    this.#total++
  }

  #keepCut(head: string): void {
    this.#cut = true
    this.#keep(head)
  }
}

const text = (lines: Buffer[]): string => lines.map((line) => line.toString()).join("\n")

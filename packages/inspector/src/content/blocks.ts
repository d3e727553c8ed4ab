import { marked, type Token } from "marked"
import remend from "remend"

/**
 * Markdown as blocks, while it grows: what was read stays as it is, and only the last blocks are read again. Nothing here makes HTML.
 */
export class GrowingBlocks {
  #text = ""
  #blocks: Token[] = []

  read(text: string, growing: boolean): readonly Token[] {
    if (text === this.#text && !growing) return this.#whole(text)
    if (!text.startsWith(this.#text) || this.#text === "") {
      this.#blocks = marked.lexer(text)
    } else if (text !== this.#text) {
      // A list or table may still take in what follows: two blocks are read again.
      const kept = this.#blocks.slice(0, -2)
      const begin = kept.reduce((sum, { raw }) => sum + raw.length, 0)
      this.#blocks = [...kept, ...marked.lexer(text.slice(begin))]
    }
    this.#text = text
    return growing ? this.#closed() : this.#blocks
  }

  /** References to links are known when all of it is here. */
  #whole(text: string): readonly Token[] {
    this.#blocks = marked.lexer(text)
    return this.#blocks
  }

  /** What is begun and not ended in the last block, such as `**bol`, is shown as if it were. */
  #closed(): readonly Token[] {
    const last = this.#blocks.at(-1)
    if (last === undefined || last.type === "code") return this.#blocks
    const ended = remend(last.raw)
    return ended === last.raw ? this.#blocks : [...this.#blocks.slice(0, -1), ...marked.lexer(ended)]
  }
}

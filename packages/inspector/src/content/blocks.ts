import { marked, type Token } from "marked"
import remend from "remend"

/** A paragraph that grows beyond this is shown in pieces: browsers lay out each anew with every letter. */
const pieceChars = 4_000
/** What is longer is not read again as a whole when it has ended. */
const wholeChars = 50_000

/**
 * Markdown as blocks, while it grows: what was read stays as it is, and only the last blocks are read again. Nothing here makes HTML.
 */
export class GrowingBlocks {
  #text = ""
  #blocks: Token[] = []

  read(text: string, growing: boolean): readonly Token[] {
    if (!text.startsWith(this.#text) || this.#text === "") this.#blocks = lexed(text)
    else if (text !== this.#text) {
      // A list or table may still take in what follows: two blocks are read again.
      const kept = this.#blocks.slice(0, -2)
      const begin = kept.reduce((sum, { raw }) => sum + raw.length, 0)
      this.#blocks = [...kept, ...lexed(text.slice(begin))]
    }
    this.#text = text
    if (growing) return this.#closed()
    // References to links are known when all of it is here.
    if (text.length <= wholeChars) this.#blocks = marked.lexer(text)
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

function lexed(text: string): Token[] {
  return marked.lexer(text).flatMap((block) => (block.type === "paragraph" ? pieces(block) : [block]))
}

function pieces(block: Token): Token[] {
  const found: Token[] = []
  let rest = block.raw
  while (rest.length > pieceChars * 1.5) {
    const space = rest.lastIndexOf(" ", pieceChars)
    const cut = space < pieceChars / 2 ? pieceChars : space + 1
    // One piece is one token, so that all of them together are the text again.
    found.push({
      type: "paragraph",
      raw: rest.slice(0, cut),
      text: rest.slice(0, cut),
      tokens: marked.Lexer.lexInline(rest.slice(0, cut)),
    })
    rest = rest.slice(cut)
  }
  if (found.length === 0) return [block]
  return [...found, { type: "paragraph", raw: rest, text: rest, tokens: marked.Lexer.lexInline(rest) }]
}

const sample =
  "# A [heading](https://example.com)\n\nSome **bold**, *soft* and `code`, ~~gone~~, a@example.com.\n\n- one\n- [ ] two\n\n1. three\n\n> quoted\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```ts\nlet x = 1\n```\n\n<b>x</b> and *what is not en"

/** Has the browser compile what reads markdown while nothing is said: the first words of an agent would wait for it. */
export function warmUp(): void {
  const blocks = new GrowingBlocks()
  // Often enough that expressions are compiled, and not only read.
  for (let end = 8; end < sample.length; end += 8) blocks.read(sample.slice(0, end), true)
  blocks.read(sample, false)
}

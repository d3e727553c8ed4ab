/** One press of a key, or a paste. */
export type Key = { readonly type: "text"; readonly text: string; readonly pasted?: true } | { readonly type: KeyName }

export type KeyName =
  | "enter"
  | "newline"
  | "backspace"
  | "delete"
  | "left"
  | "right"
  | "up"
  | "down"
  | "home"
  | "end"
  | "word-left"
  | "word-right"
  | "kill-end"
  | "kill-start"
  | "kill-word"
  | "escape"
  | "tab"
  | "interrupt"
  | "end-of-input"
  | "redraw"
  | "unknown"

const controls: Readonly<Record<string, KeyName>> = {
  "\r": "enter",
  "\n": "newline",
  "\x7f": "backspace",
  "\b": "backspace",
  "\t": "tab",
  "\x01": "home",
  "\x02": "left",
  "\x03": "interrupt",
  "\x04": "end-of-input",
  "\x05": "end",
  "\x06": "right",
  "\x0b": "kill-end",
  "\x0c": "redraw",
  "\x0e": "down",
  "\x10": "up",
  "\x15": "kill-start",
  "\x17": "kill-word",
}

const sequences: Readonly<Record<string, KeyName>> = {
  "[A": "up",
  "[B": "down",
  "[C": "right",
  "[D": "left",
  "[H": "home",
  "[F": "end",
  OA: "up",
  OB: "down",
  OC: "right",
  OD: "left",
  OH: "home",
  OF: "end",
  "[1~": "home",
  "[4~": "end",
  "[3~": "delete",
  "[1;5C": "word-right",
  "[1;5D": "word-left",
  "[1;3C": "word-right",
  "[1;3D": "word-left",
  b: "word-left",
  f: "word-right",
  "\r": "newline",
  "\x7f": "kill-word",
}

const pasteBegins = "\x1b[200~"
const pasteEnds = "\x1b[201~"
/** The whole of what a terminal sends for one key after Escape: CSI, SS3, or one character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what terminals send
const sequence = /^\x1b(\[[0-9;?]*[ -/]*[@-~]|O[A-Za-z]|[^[O])/

/** Turns what a terminal sends into keys. What is only half there waits for the rest. */
export class KeyReader {
  #rest = ""
  readonly #decoder = new TextDecoder()

  push(bytes: Uint8Array): Key[] {
    this.#rest += this.#decoder.decode(bytes, { stream: true })
    const keys: Key[] = []
    for (let key = this.#next(); key !== undefined; key = this.#next()) keys.push(key)
    return keys
  }

  /** An Escape that nothing followed was pressed alone. */
  get waits(): boolean {
    return this.#rest === "\x1b"
  }

  alone(): Key[] {
    if (!this.waits) return []
    this.#rest = ""
    return [{ type: "escape" }]
  }

  #next(): Key | undefined {
    const text = this.#rest
    if (text === "") return undefined
    if (text.startsWith(pasteBegins)) return this.#paste()
    if (text.startsWith("\x1b")) return this.#sequence()
    const control = controls[text[0] ?? ""]
    if (control !== undefined) return this.#take(1, { type: control })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what is no text ends it
    const plain = /^[^\x00-\x1f\x7f]+/.exec(text)?.[0]
    return plain === undefined
      ? this.#take(1, { type: "unknown" })
      : this.#take(plain.length, { type: "text", text: plain })
  }

  #paste(): Key | undefined {
    const end = this.#rest.indexOf(pasteEnds)
    if (end < 0) return undefined
    const text = this.#rest.slice(pasteBegins.length, end).replace(/\r\n?/g, "\n")
    return this.#take(end + pasteEnds.length, { type: "text", text, pasted: true })
  }

  #sequence(): Key | undefined {
    // Two in a row: the first was pressed alone.
    if (this.#rest.startsWith("\x1b\x1b")) return this.#take(1, { type: "escape" })
    const found = sequence.exec(this.#rest)
    if (found === null) return undefined
    return this.#take(found[0].length, { type: sequences[found[1] ?? ""] ?? "unknown" })
  }

  #take(length: number, key: Key): Key {
    this.#rest = this.#rest.slice(length)
    return key
  }
}

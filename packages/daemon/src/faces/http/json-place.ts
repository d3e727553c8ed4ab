/** Finds where a text stops being JSON. Only called for texts that are not: the engine's own error has no place in it. */
export function jsonPlace(text: string): { line: number; column: number; offset: number } {
  const offset = Math.min(new Scanner(text).firstFault(), text.length)
  const before = text.slice(0, offset)
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n"), offset }
}

const STRING = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy
const SCALAR = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/y
const SPACE = /[ \t\r\n]*/y

/** Keeps its own stack, so that a deeply nested text cannot exhaust ours. */
class Scanner {
  #at = 0
  constructor(readonly text: string) {}

  firstFault(): number {
    const stack: ("}" | "]")[] = []
    let wantValue = true
    for (;;) {
      this.#skip(SPACE)
      const char = this.text[this.#at]
      if (char === undefined) return this.#at
      if (wantValue) {
        if (char === "{" || char === "[") {
          this.#at++
          stack.push(char === "{" ? "}" : "]")
          this.#skip(SPACE)
          if (this.text[this.#at] === stack.at(-1)) {
            this.#at++
            stack.pop()
            wantValue = false
          } else if (char === "{" && !this.#key()) return this.#at
          continue
        }
        if (!this.#skip(STRING) && !this.#skip(SCALAR)) return this.#at
        wantValue = false
        continue
      }
      const close = stack.at(-1)
      if (close === undefined) return this.#at
      this.#at++
      if (char === close) stack.pop()
      else if (char !== ",") return this.#at - 1
      else {
        wantValue = true
        if (close === "}" && !this.#key()) return this.#at
      }
    }
  }

  #key(): boolean {
    this.#skip(SPACE)
    if (!this.#skip(STRING)) return false
    this.#skip(SPACE)
    if (this.text[this.#at] !== ":") return false
    this.#at++
    return true
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.text)
    if (found === null) return false
    this.#at += found[0].length
    return found[0].length > 0
  }
}

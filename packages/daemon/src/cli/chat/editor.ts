import type { Key } from "./keys.ts"

const segmenter = new Intl.Segmenter()
const graphemes = (text: string): string[] => [...segmenter.segment(text)].map(({ segment }) => segment)

/** A line that is being written, with what was written before. It knows no screen. */
export class Editor {
  #before: string[] = []
  #after: string[] = []
  /** Where in the history we are; its length: at the line that is new. */
  #at: number
  #draft = ""

  constructor(readonly history: string[] = []) {
    this.#at = history.length
  }

  get text(): string {
    return [...this.#before, ...this.#after].join("")
  }

  /** What stands before the cursor. */
  get before(): string {
    return this.#before.join("")
  }

  set(text: string): void {
    this.#before = graphemes(text)
    this.#after = []
  }

  /** The line is done: it is kept in the history, and a new one begins. */
  take(): string {
    const { text } = this
    if (text.trim() !== "" && this.history.at(-1) !== text) this.history.push(text)
    this.clear()
    return text
  }

  clear(): void {
    this.set("")
    this.#at = this.history.length
  }

  /** `false`: the key is not for the line. */
  press(key: Key): boolean {
    switch (key.type) {
      case "text":
        this.#before.push(...graphemes(key.text))
        return true
      case "newline":
        this.#before.push("\n")
        return true
      case "backspace":
        this.#before.pop()
        return true
      case "delete":
        this.#after.shift()
        return true
      case "left":
        return this.#left(1)
      case "right":
        return this.#right(1)
      case "home":
        return this.#left(this.#before.length)
      case "end":
        return this.#right(this.#after.length)
      case "word-left":
        return this.#left(wordLength(this.#before.toReversed()))
      case "word-right":
        return this.#right(wordLength(this.#after))
      case "kill-word":
        this.#before.splice(-wordLength(this.#before.toReversed()) || this.#before.length)
        return true
      case "kill-start":
        this.#before = []
        return true
      case "kill-end":
        this.#after = []
        return true
      case "up":
        return this.#recall(-1)
      case "down":
        return this.#recall(1)
      default:
        return false
    }
  }

  #left(count: number): true {
    if (count > 0) this.#after.unshift(...this.#before.splice(-count))
    return true
  }

  #right(count: number): true {
    this.#before.push(...this.#after.splice(0, count))
    return true
  }

  #recall(step: number): true {
    const at = this.#at + step
    if (at < 0 || at > this.history.length) return true
    if (this.#at === this.history.length) this.#draft = this.text
    this.#at = at
    this.set(this.history[at] ?? this.#draft)
    return true
  }
}

/** Spaces and then a word, in the direction of the list. */
function wordLength(letters: readonly string[]): number {
  const [found = ""] = /^\s*\S*/.exec(letters.map((letter) => (/\s/.test(letter) ? " " : "x")).join("")) ?? []
  return found.length
}

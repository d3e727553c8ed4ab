/** What was left out of a text: how many characters, and where. */
export interface OmittedText {
  offset: number
  chars: number
}

/** The beginning and the end of a text of any length. */
export class KeptText {
  #head = ""
  #tail = ""
  #length = 0
  readonly #half: number

  constructor(limit: number) {
    this.#half = Math.floor(limit / 2)
  }

  add(text: string): void {
    this.#length += text.length
    const room = this.#half - this.#head.length
    if (room > 0) this.#head += text.slice(0, room)
    this.#tail += room > 0 ? text.slice(room) : text
    // Cut when there is twice as much, so that each character is moved once.
    if (this.#tail.length > 2 * this.#half) this.#tail = this.#tail.slice(-this.#half)
  }

  get text(): string {
    return this.#head + this.#end
  }

  get omitted(): OmittedText | undefined {
    const chars = this.#length - this.text.length
    return chars === 0 ? undefined : { offset: this.#head.length, chars }
  }

  get #end(): string {
    return this.#half === 0 ? "" : this.#tail.slice(-this.#half)
  }
}

/** A text that grows without end, of which the first and the last half of a limit are kept. */
export class HeadAndTail {
  #head = ""
  #tail = ""
  /** Of all that was added. */
  length = 0

  constructor(private limit: number) {}

  add(more: string): void {
    const room = Math.max(0, this.limit / 2 - this.#head.length)
    // Nothing goes to the head once the tail has begun: what lies between them is missing.
    if (this.#tail === "") this.#head += more.slice(0, room)
    const rest = this.#tail === "" ? more.slice(room) : more
    this.#tail += rest
    this.length += more.length
    // Now and then, not with every piece.
    if (this.#tail.length > this.limit) this.#tail = this.#last
  }

  /** Characters that are held. */
  get held(): number {
    return this.#head.length + this.#tail.length
  }

  /** Nothing of it is needed any more but how long it was. */
  forget(): void {
    this.limit = 0
    this.#head = ""
    this.#tail = ""
  }

  get #last(): string {
    return this.#tail.slice(Math.max(0, this.#tail.length - this.limit / 2))
  }

  get text(): string {
    const tail = this.#last
    const missing = this.length - this.#head.length - tail.length
    if (missing === 0) return this.#head + tail
    return `${this.#head}\n… ${missing} of ${this.length} characters cut …\n${tail}`.toWellFormed()
  }
}

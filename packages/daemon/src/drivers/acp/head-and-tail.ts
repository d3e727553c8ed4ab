/** A text that grows without end, of which the first and the last half of a limit are kept. */
export class HeadAndTail {
  #head = ""
  #tail = ""
  /** Of all that was added. */
  length = 0

  constructor(private readonly limit: number) {}

  add(more: string): void {
    const room = Math.max(0, this.limit / 2 - this.#head.length)
    // Nothing goes to the head once the tail has begun: what lies between them is missing.
    if (this.#tail === "") this.#head += more.slice(0, room)
    const rest = this.#tail === "" ? more.slice(room) : more
    this.#tail += rest
    this.length += more.length
    // Now and then, not with every piece.
    if (this.#tail.length > this.limit) this.#tail = this.#tail.slice(-this.limit / 2)
  }

  get text(): string {
    const tail = this.#tail.slice(-this.limit / 2)
    const missing = this.length - this.#head.length - tail.length
    if (missing === 0) return this.#head + tail
    return `${this.#head}\n… ${missing} of ${this.length} characters cut …\n${tail}`.toWellFormed()
  }
}

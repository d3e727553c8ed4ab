/** RFC 3339 time that never goes back, also across a restart. One text per millisecond. */
export class Clock {
  #last = 0
  #text = ""

  /** The text for now. */
  now(): string {
    const now = Date.now()
    if (now > this.#last) {
      this.#last = now
      this.#text = new Date(now).toISOString()
    } else if (this.#text === "") this.#text = new Date(this.#last).toISOString()
    return this.#text
  }

  /** Milliseconds of the last text given. */
  get millis(): number {
    return this.#last
  }

  /** Never below this again. */
  lift(text: string): void {
    const at = Date.parse(text)
    if (at > this.#last) {
      this.#last = at
      this.#text = ""
    }
  }
}

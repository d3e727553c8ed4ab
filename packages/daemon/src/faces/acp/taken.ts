/** What of a stream its socket has taken, and who waits for it. */
export class Taken {
  /** Something was given that the socket may not have taken yet. */
  #given = false
  #ended = false
  readonly #waiting = new Set<{ has(): boolean; resolve(): void }>()

  /** Resolves once this is so of what was taken, at the latest when the stream ends. */
  until(has: () => boolean): Promise<void> {
    if (this.#ended || (!this.#given && has())) return Promise.resolve()
    return new Promise((resolve) => {
      this.#waiting.add({ has, resolve })
    })
  }

  /** The socket asks for more: whatever was given before, it has. */
  asked(): void {
    this.#given = false
    this.#look()
  }

  /** What it is answered with: more, or that there is no more yet. */
  answered(more: boolean): void {
    this.#given = more
    if (!more) this.#look()
  }

  end(): void {
    this.#ended = true
    this.#look()
  }

  #look(): void {
    for (const waiter of this.#waiting) {
      if (!this.#ended && !waiter.has()) continue
      this.#waiting.delete(waiter)
      waiter.resolve()
    }
  }
}

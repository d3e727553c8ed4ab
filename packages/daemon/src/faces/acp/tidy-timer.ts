/** Tidies up when it is due, and then when that says that there is more. A daemon at rest does not wake up for it. */
export class TidyTimer {
  #timer: Timer | undefined
  #dueAt = Number.POSITIVE_INFINITY

  /** `tidy` tells in how many milliseconds it is due again. */
  constructor(private readonly tidy: () => number) {}

  /** At the latest in so many milliseconds. */
  in(ms: number): void {
    const at = performance.now() + ms
    if (at >= this.#dueAt) return
    this.stop()
    this.#dueAt = at
    this.#timer = setTimeout(() => {
      this.#dueAt = Number.POSITIVE_INFINITY
      this.in(this.tidy())
    }, ms).unref()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#dueAt = Number.POSITIVE_INFINITY
  }
}

interface Waiter {
  resolve(): void
  reject(error: unknown): void
}

/** Those who wait for the next commit. */
export class Waiters {
  #waiting: Waiter[] = []

  get size(): number {
    return this.#waiting.length
  }

  wait(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#waiting.push({ resolve, reject })
    return promise
  }

  /** Whoever waits from now on waits for another one. */
  take(): Waiter[] {
    const waiting = this.#waiting
    this.#waiting = []
    return waiting
  }
}

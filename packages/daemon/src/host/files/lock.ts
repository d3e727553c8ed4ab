/** One after the other where they concern the same thing. */
export class Locks {
  readonly #last = new Map<string, Promise<void>>()

  async hold<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key)
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#last.set(key, promise)
    try {
      await before
      return await work()
    } finally {
      resolve()
      if (this.#last.get(key) === promise) this.#last.delete(key)
    }
  }
}

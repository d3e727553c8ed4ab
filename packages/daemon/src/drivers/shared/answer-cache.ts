/** What was asked once and does not change. A failure is not kept: whoever comes next asks again. */
export class AnswerCache<T> {
  readonly #known = new Map<string, Promise<T>>()

  get(key: string, ask: () => Promise<T>): Promise<T> {
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const asked = ask()
    this.#known.set(key, asked)
    asked.catch(() => {
      if (this.#known.get(key) === asked) this.#known.delete(key)
    })
    return asked
  }

  forget(key: string): void {
    this.#known.delete(key)
  }
}

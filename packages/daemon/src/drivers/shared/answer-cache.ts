import { callLimits } from "@sandbox-agent/schema/driver-limits"

/** What was asked once and does not change. A failure is not kept: whoever comes next asks again. */
export class AnswerCache<T> {
  readonly #known = new Map<string, Promise<T>>()

  get(key: string, ask: () => Promise<T>): Promise<T> {
    const known = this.#known.get(key)
    if (known !== undefined) {
      // Last in line to be forgotten.
      this.#known.delete(key)
      this.#known.set(key, known)
      return known
    }
    const asked = ask()
    this.#known.set(key, asked)
    const [oldest] = this.#known.keys()
    if (this.#known.size > callLimits.keptAnswers && oldest !== undefined) this.#known.delete(oldest)
    asked.catch(() => {
      if (this.#known.get(key) === asked) this.#known.delete(key)
    })
    return asked
  }

  forget(key: string): void {
    this.#known.delete(key)
  }
}

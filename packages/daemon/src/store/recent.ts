/** What was set last, up to a number of entries. */
export class Recent<T> {
  readonly #entries = new Map<string, T>()

  constructor(private readonly most: number) {}

  get(key: string): T | undefined {
    return this.#entries.get(key)
  }

  set(key: string, value: T): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.most) return
      this.#entries.delete(oldest)
    }
  }

  drop(isDropped: (value: T) => boolean): void {
    for (const [key, value] of this.#entries) if (isDropped(value)) this.#entries.delete(key)
  }
}

interface Kept<T> {
  readonly value: T
  readonly size: number
}

/** Keys of what was dropped that are remembered. */
const DROPPED = 1_024

/**
 * The entries used last, up to a number of bytes. A single reader never asks again for what it had, and `least` is
 * enough; where many readers follow each other and ask for what was dropped, the room grows up to `most`.
 */
export class LruCache<T> {
  /** The one used last stands last. */
  readonly #kept = new Map<string, Kept<T>>()
  readonly #dropped = new Set<string>()
  #bytes = 0
  #room: number

  constructor(
    private readonly least: number,
    private readonly most: number,
  ) {
    this.#room = least
  }

  get(key: string): T | undefined {
    const known = this.#kept.get(key)
    if (known === undefined) return undefined
    this.#kept.delete(key)
    this.#kept.set(key, known)
    return known.value
  }

  /** The newest stays, whatever its size. */
  keep(key: string, value: T, size: number): void {
    if (this.#dropped.delete(key)) this.#room = Math.min(this.most, this.#room + size)
    this.#kept.set(key, { value, size })
    this.#bytes += size
    for (const [oldest, { size: freed }] of this.#kept) {
      if (this.#bytes <= this.#room || oldest === key) break
      this.#kept.delete(oldest)
      this.#bytes -= freed
      this.#remember(oldest)
    }
  }

  forget(): void {
    this.#kept.clear()
    this.#dropped.clear()
    this.#bytes = 0
    this.#room = this.least
  }

  #remember(key: string): void {
    for (const first of this.#dropped) {
      if (this.#dropped.size < DROPPED) break
      this.#dropped.delete(first)
    }
    this.#dropped.add(key)
  }
}

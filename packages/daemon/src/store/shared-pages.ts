import { limits } from "@sandbox-agent/schema/limits"

interface Kept {
  readonly value: object
  readonly size: number
}

/** Puts back what was held. */
export type Release = () => void

/** What was read from the database a moment ago, for others who are at the same place: one buffer for all of them. */
export class SharedPages {
  /** The one used last stands last. */
  readonly #kept = new Map<string, Kept>()
  #bytes = 0
  /** Long ones, as long as somebody is in the middle of them. */
  readonly #held = new Map<string, Kept & { holders: number }>()
  #heldBytes = 0

  /** What is kept under this key, else what `read` gives; that may be nothing. */
  of<T extends object>(key: string, read: () => T | undefined, sizeOf: (value: T) => number): T | undefined {
    const held = this.#held.get(key)
    if (held !== undefined) return held.value as T
    const known = this.#kept.get(key)
    if (known !== undefined) {
      this.#kept.delete(key)
      this.#kept.set(key, known)
      return known.value as T
    }
    const value = read()
    if (value !== undefined) this.#keep(key, { value, size: sizeOf(value) })
    return value
  }

  /** Keeps this until it is released; undefined when too much is held, and whoever needs it has to read it again. */
  hold(key: string, value: object, size: number): Release | undefined {
    let held = this.#held.get(key)
    if (held === undefined) {
      if (this.#heldBytes + size > limits.heldPagesBytes) return undefined
      held = { value, size, holders: 0 }
      this.#held.set(key, held)
      this.#heldBytes += size
    }
    held.holders++
    return () => this.#release(key)
  }

  forget(): void {
    this.#kept.clear()
    this.#bytes = 0
  }

  #release(key: string): void {
    const held = this.#held.get(key)
    if (held === undefined || --held.holders > 0) return
    this.#held.delete(key)
    this.#heldBytes -= held.size
  }

  #keep(key: string, kept: Kept): void {
    // A long one would drive out everything else.
    if (kept.size > limits.sharedPagesBytes / 4) return
    this.#kept.set(key, kept)
    this.#bytes += kept.size
    for (const [oldest, { size }] of this.#kept) {
      if (this.#bytes <= limits.sharedPagesBytes) break
      this.#kept.delete(oldest)
      this.#bytes -= size
    }
  }
}

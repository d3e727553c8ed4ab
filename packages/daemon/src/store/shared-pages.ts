import { limits } from "@sandbox-agent/schema/limits"
import { Recent } from "./recent.ts"

interface Kept {
  readonly value: object
  readonly size: number
}

/** Puts back what was held. */
export type Release = () => void

/** What was read from the database a moment ago, for others who are at the same place: one buffer for all of them. */
export class SharedPages {
  readonly #recent = new Recent<object>(limits.sharedPagesBytes, limits.sharedPagesMostBytes)
  /** Long ones, as long as somebody is in the middle of them. */
  readonly #held = new Map<string, Kept & { holders: number }>()
  #heldBytes = 0

  /** What is kept under this key, else what `read` gives; that may be nothing. */
  of<T extends object>(key: string, read: () => T | undefined, sizeOf: (value: T) => number): T | undefined {
    const held = this.#held.get(key)
    if (held !== undefined) return held.value as T
    const known = this.#recent.get(key)
    if (known !== undefined) return known as T
    const value = read()
    const size = value === undefined ? 0 : sizeOf(value)
    // A long one would drive out everything else.
    if (value !== undefined && size <= limits.sharedPagesBytes / 4) this.#recent.keep(key, value, size)
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
    this.#recent.forget()
  }

  #release(key: string): void {
    const held = this.#held.get(key)
    if (held === undefined || --held.holders > 0) return
    this.#held.delete(key)
    this.#heldBytes -= held.size
  }
}

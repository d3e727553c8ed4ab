import { limits } from "@sandbox-agent/schema/limits"
import { Recent } from "./recent.ts"

interface Held {
  readonly value: object
  readonly size: number
  readonly isPinned: boolean
  holders: number
}

/** Puts back what was held. */
export type Release = () => void

/** What was read from the database a moment ago, for others who are at the same place: one buffer for all of them. */
export class SharedPages {
  readonly #recent = new Recent<object>(limits.sharedPagesBytes, limits.sharedPagesMostBytes)
  /** Long ones, as long as somebody is in the middle of them. The one used last stands last. */
  readonly #held = new Map<string, Held>()
  #heldBytes = 0

  /** What is kept under this key, else what `read` gives; that may be nothing. */
  of<T extends object>(key: string, read: () => T | undefined, sizeOf: (value: T) => number): T | undefined {
    const held = this.#held.get(key)
    if (held !== undefined) {
      this.#held.delete(key)
      this.#held.set(key, held)
      return held.value as T
    }
    const known = this.#recent.get(key)
    if (known !== undefined) return known as T
    const value = read()
    const size = value === undefined ? 0 : sizeOf(value)
    // A long one would drive out everything else.
    if (value !== undefined && size <= limits.sharedPagesBytes / 4) this.#recent.keep(key, value, size)
    return value
  }

  /**
   * Keeps this until it is released, or until others need the room more: what was not used for longest goes first, and
   * whoever comes back to it reads it again. What cannot be read again is pinned; undefined when there is no room.
   */
  hold(key: string, value: object, size: number, isPinned = false): Release | undefined {
    let held = this.#held.get(key)
    if (held === undefined) {
      if (!this.#makeRoom(size)) return undefined
      held = { value, size, isPinned, holders: 0 }
      this.#held.set(key, held)
      this.#heldBytes += size
    }
    held.holders++
    const mine = held
    return () => this.#release(key, mine)
  }

  forget(): void {
    this.#recent.forget()
  }

  #makeRoom(size: number): boolean {
    for (const [key, held] of this.#held) {
      if (this.#heldBytes + size <= limits.heldPagesBytes) return true
      if (!held.isPinned) this.#drop(key, held)
    }
    return this.#heldBytes + size <= limits.heldPagesBytes
  }

  #release(key: string, held: Held): void {
    if (--held.holders === 0 && this.#held.get(key) === held) this.#drop(key, held)
  }

  #drop(key: string, { size }: Held): void {
    this.#held.delete(key)
    this.#heldBytes -= size
  }
}

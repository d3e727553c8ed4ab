import { limits } from "@sandbox-agent/schema/limits"
import { LruCache } from "./lru-cache.ts"

interface Held {
  readonly value: object
  readonly size: number
  readonly isPinned: boolean
  readonly holders: Holders
}

/** Apart from what they hold: who waits for long would keep alive what was driven out. */
interface Holders {
  count: number
}

/** Puts back what was held. */
export type Release = () => void

/** What was read from the database a moment ago, for others who are at the same place: one buffer for all of them. */
export class SharedPages {
  readonly #recent = new LruCache<object>(limits.sharedPagesBytes, limits.sharedPagesMostBytes)
  /** Long ones, as long as somebody is in the middle of them. The one used last stands last. */
  readonly #held = new Map<string, Held>()
  #heldBytes = 0

  /** What is kept under this key, else what `read` gives; that may be nothing. */
  of<T extends object>(key: string, read: () => T | undefined, sizeOf: (value: T) => number): T | undefined {
    const held = this.held<T>(key)
    if (held !== undefined) return held
    const known = this.#recent.get(key)
    if (known !== undefined) return known as T
    const value = read()
    const size = value === undefined ? 0 : sizeOf(value)
    // A long one would drive out everything else.
    if (value !== undefined && size <= limits.sharedPagesBytes / 4) this.#recent.keep(key, value, size)
    return value
  }

  /** What somebody holds under this key. */
  held<T extends object>(key: string): T | undefined {
    const held = this.#held.get(key)
    if (held === undefined) return undefined
    this.#held.delete(key)
    this.#held.set(key, held)
    return held.value as T
  }

  /**
   * Keeps this until it is released, or until others need the room more: what was not used for longest goes first, and
   * whoever comes back to it reads it again. What cannot be read again is pinned; undefined when there is no room.
   */
  hold(key: string, value: object, size: number, isPinned = false): Release | undefined {
    let held = this.#held.get(key)
    if (held === undefined) {
      if (!this.#makeRoom(size)) return undefined
      held = { value, size, isPinned, holders: { count: 0 } }
      this.#held.set(key, held)
      this.#heldBytes += size
    }
    return this.#releaseOf(key, held.holders)
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

  #releaseOf(key: string, holders: Holders): Release {
    holders.count++
    return () => {
      const held = this.#held.get(key)
      if (--holders.count === 0 && held?.holders === holders) this.#drop(key, held)
    }
  }

  #drop(key: string, { size }: Held): void {
    this.#held.delete(key)
    this.#heldBytes -= size
  }
}

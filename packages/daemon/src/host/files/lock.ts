import type { BytePath } from "./byte-path.ts"

/** Something that is worked on, with all below it. */
export interface Place {
  /** Where it really is. */
  path: BytePath
  /** It is only read: others may do so as well. */
  shared?: boolean
}

/** One after the other where they concern the same place, or one above or below it. */
export class Locks {
  readonly #held = new Set<{ places: readonly Place[]; over: Promise<void> }>()

  /** All places are taken at once and only those who came before are waited for, so nobody waits in a circle. */
  async hold<T>(places: readonly Place[], work: () => Promise<T>): Promise<T> {
    const before = [...this.#held].filter((one) => meet(one.places, places)).map(({ over }) => over)
    const { promise, resolve } = Promise.withResolvers<void>()
    const mine = { places, over: promise }
    this.#held.add(mine)
    try {
      await Promise.all(before)
      return await work()
    } finally {
      this.#held.delete(mine)
      resolve()
    }
  }
}

const meet = (some: readonly Place[], others: readonly Place[]): boolean =>
  some.some((a) => others.some((b) => !(a.shared && b.shared) && (holds(a.path, b.path) || holds(b.path, a.path))))

const holds = (folder: BytePath, path: BytePath): boolean =>
  folder === path || path.startsWith(folder === "/" ? folder : `${folder}/`)

import { limits } from "@sandbox-agent/schema/limits"

/** Who had everything and is given something new, and who reads what was there before. */
export type Kind = "fresh" | "behind"

/**
 * Whose turn it is to be given something. It is counted in each turn of the event loop: who finds it used up waits for the
 * next one, so that messages, health and what agents say come in between. Those who have fallen behind go one
 * after the other, a slice each; they use up nothing of those who were waiting for something new.
 */
export class Turns {
  readonly #waiting: Record<Kind, (() => void)[]> = { fresh: [], behind: [] }
  readonly #bytes: Record<Kind, number> = { fresh: 0, behind: 0 }
  #began = 0
  #counting = false

  /** Undefined when it may be given something at once; whoever got a turn says with `gave` how much that was. */
  wait(kind: Kind): Promise<void> | undefined {
    if (this.#waiting[kind].length === 0 && !this.#isUsedUp(kind)) return undefined
    this.#count()
    return new Promise((resolve) => {
      this.#waiting[kind].push(resolve)
    })
  }

  /** Of nothing, where there was nothing; what was looked at and is not for a reader took time all the same. */
  gave(kind: Kind, bytes: number | undefined): void {
    this.#bytes[kind] += bytes ?? 0
    if (bytes !== undefined) this.#count()
    this.#call(kind)
  }

  /** What was given in this turn of the loop. */
  get given(): Readonly<Record<Kind, number>> {
    return this.#bytes
  }

  #isUsedUp(kind: Kind): boolean {
    if (this.#bytes[kind] >= limits.turnBytes) return true
    return kind === "behind" && this.#counting && performance.now() - this.#began >= limits.turnMs
  }

  /** One at a time: the next is called when it is known what this one took. */
  #call(kind: Kind): void {
    if (this.#waiting[kind].length > 0 && !this.#isUsedUp(kind)) this.#waiting[kind].shift()?.()
  }

  #count(): void {
    if (this.#counting) return
    this.#counting = true
    this.#began = performance.now()
    setImmediate(() => this.#next())
  }

  #next(): void {
    this.#counting = false
    this.#bytes.fresh = 0
    this.#bytes.behind = 0
    if (this.#waiting.fresh.length + this.#waiting.behind.length === 0) return
    this.#count()
    this.#call("fresh")
    this.#call("behind")
  }
}

/** Of the process, as its event loop is. */
export const turns = new Turns()

import { timerOf } from "./timer.ts"

/** How far a reader of updates is, for the answers that came behind them. */
export class CatchingUp {
  #pushed = 0
  #asked = 0
  #askedAt = 0
  /** Each with how many updates came before it, in their order. */
  #waiting: { pushed: number; resolve(): void }[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #limitMs: number

  constructor(limitMs: number) {
    this.#limitMs = limitMs
  }

  pushed(): void {
    this.#pushed++
  }

  /** For the next one: it is done with those before. */
  asked(): void {
    this.#asked++
    if (this.#waiting.length === 0) return
    this.#askedAt = performance.now()
    while (this.#waiting[0] !== undefined && this.#asked > this.#waiting[0].pushed) this.#waiting.shift()?.resolve()
    if (this.#waiting.length === 0) clearTimeout(this.#timer)
  }

  /** Resolves when the reader is done with all that has come so far, or has taken nothing for as long as it is waited for. */
  done(stopped: () => void): Promise<void> | undefined {
    if (this.#asked > this.#pushed || this.#limitMs <= 0) return undefined
    return new Promise((resolve) => {
      this.#waiting.push({ pushed: this.#pushed, resolve })
      if (this.#waiting.length > 1) return
      this.#askedAt = performance.now()
      this.#arm(this.#limitMs, stopped)
    })
  }

  /** It takes nothing more. */
  end(): void {
    clearTimeout(this.#timer)
    for (const { resolve } of this.#waiting.splice(0)) resolve()
  }

  #arm(ms: number, stopped: () => void): void {
    this.#timer = timerOf(() => {
      const left = this.#askedAt + this.#limitMs - performance.now()
      if (left > 0) return this.#arm(left, stopped)
      stopped()
      this.end()
    }, ms)
  }
}

import { AcpError } from "./errors.ts"
import { timerOf } from "./timer.ts"

/**
 * Notices that nothing comes any more while somebody waits for it: half-open connections and tabs that slept give no other sign.
 * One lazy timer, not one per read.
 */
export class SilenceTimer {
  readonly #controller = new AbortController()
  readonly #outer: AbortSignal
  readonly #limitMs: () => number
  readonly #onAbort = () => this.#controller.abort(this.#outer.reason)
  #timer: ReturnType<typeof setTimeout> | undefined
  #waitingSince: number | undefined
  #due = 0

  constructor(outer: AbortSignal, limitMs: () => number) {
    this.#outer = outer
    this.#limitMs = limitMs
    if (outer.aborted) this.#onAbort()
    else outer.addEventListener("abort", this.#onAbort)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  async during<T>(read: Promise<T>): Promise<T> {
    const now = performance.now()
    this.#waitingSince = now
    const limit = this.#limitMs()
    // Armed anew only when the limit has become shorter.
    if (this.#timer === undefined || now + limit < this.#due) this.#arm(limit)
    try {
      return await read
    } catch (error) {
      throw this.signal.aborted ? this.signal.reason : error
    } finally {
      // Time the reader itself takes is not the server's.
      this.#waitingSince = undefined
    }
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#outer.removeEventListener("abort", this.#onAbort)
  }

  #arm(ms: number): void {
    clearTimeout(this.#timer)
    this.#due = performance.now() + ms
    this.#timer = timerOf(() => {
      const limit = this.#limitMs()
      const left = this.#waitingSince === undefined ? limit : this.#waitingSince + limit - performance.now()
      if (left > 0) this.#arm(left)
      else this.#controller.abort(new AcpError("timeout", `Nothing came on the event stream for ${limit} ms`))
    }, ms)
  }
}

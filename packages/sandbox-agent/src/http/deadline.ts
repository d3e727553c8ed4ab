import { timerOf } from "acp-http-client"
import { abortedError, isSandboxAgentError, SandboxAgentError } from "../errors.ts"
import { elapsedMs } from "./elapsed.ts"
import type { Lifetime } from "./lifetime.ts"

/** One signal out of the caller's, a time and the client's lifetime, and the word for what happened. */
export class Deadline {
  readonly #controller = new AbortController()
  readonly #outer: AbortSignal | undefined
  readonly #what: string
  readonly #onAbort = () => this.#controller.abort(this.#outer?.reason)
  readonly #lifetime: Lifetime | undefined
  readonly #leaveLifetime: (() => void) | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #timeoutMs: number | undefined
  #endsAt = Number.POSITIVE_INFINITY
  #late = false

  constructor(what: string, outer: AbortSignal | undefined, timeoutMs: number, lifetime?: Lifetime) {
    this.#what = what
    this.#outer = outer
    if (outer?.aborted) this.#onAbort()
    else outer?.addEventListener("abort", this.#onAbort)
    this.#lifetime = lifetime
    this.#leaveLifetime = lifetime?.whenOver(() => this.#controller.abort())
    this.#timeoutMs = timeoutMs
    this.again()
    this.#arm()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get leftMs(): number {
    return this.#endsAt - elapsedMs()
  }

  /** The time begins anew: something moves. */
  again(): void {
    if (this.#timeoutMs !== undefined) this.#endsAt = elapsedMs() + this.#timeoutMs
  }

  /** One lazy timer, not one for each time that something moves. */
  #arm(): void {
    this.#timer = timerOf(() => {
      if (this.leftMs > 0) return this.#arm()
      this.#late = true
      this.#controller.abort()
    }, this.leftMs)
  }

  /** Settles with the signal also where a `fetch` does not heed it. */
  hold<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const onAbort = () => reject(this.signal.reason)
      if (this.signal.aborted) onAbort()
      this.signal.addEventListener("abort", onAbort)
      work.then(resolve, reject).finally(() => this.signal.removeEventListener("abort", onAbort))
    })
  }

  /** From here on only the caller's signal and the client's lifetime count: what follows has no end of its own. */
  disarm(): void {
    clearTimeout(this.#timer)
    this.#timeoutMs = undefined
    this.#endsAt = Number.POSITIVE_INFINITY
  }

  release(): void {
    this.disarm()
    this.#outer?.removeEventListener("abort", this.#onAbort)
    this.#leaveLifetime?.()
  }

  /** Failures of `fetch` and of bodies differ in every runtime; the kind does not. */
  explain(error: unknown): SandboxAgentError {
    if (this.#late) return new SandboxAgentError("timeout", `${this.#what}: no answer in time`, error)
    if (this.#outer?.aborted) return abortedError(this.#what, this.#outer)
    if (this.#lifetime?.over) return this.#lifetime.error(this.#what)
    if (isSandboxAgentError(error)) return error
    return new SandboxAgentError("network", `${this.#what}: ${textOf(error)}`, error)
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

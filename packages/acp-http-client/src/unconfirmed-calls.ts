import { AcpError } from "./errors.ts"
import { timerOf } from "./timer.ts"

/** A request of ours as far as its end goes. */
export interface UnconfirmedCall {
  readonly method: string
  readonly posting: AbortController
  settled: boolean
  settle(outcome: { result: unknown } | { error: AcpError }): void
}

/** Requests whose answer may never come. They wait on as long as their stream speaks. */
export class UnconfirmedCalls {
  ended: () => void = () => undefined
  readonly stream: string | undefined
  readonly kind: "answer_lost" | "timeout"
  readonly #calls: UnconfirmedCall[]
  readonly #limitMs: number
  #heardAt = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(stream: string | undefined, kind: "answer_lost" | "timeout", calls: UnconfirmedCall[], limitMs: number) {
    this.stream = stream
    this.kind = kind
    this.#calls = calls
    this.#limitMs = limitMs
  }

  begin(): void {
    clearTimeout(this.#timer)
    this.heard()
    this.#arm(this.#limitMs)
  }

  heard(): void {
    this.#heardAt = performance.now()
  }

  end(): void {
    clearTimeout(this.#timer)
    this.ended()
  }

  #arm(ms: number): void {
    this.#timer = timerOf(() => {
      const left = this.#heardAt + this.#limitMs - performance.now()
      const open = this.#calls.filter((call) => !call.settled)
      if (left > 0 && open.length > 0) return this.#arm(left)
      this.end()
      for (const call of open) this.#giveUp(call)
    }, ms)
  }

  #giveUp(call: UnconfirmedCall): void {
    const silence = `nothing has come for ${this.#limitMs} ms`
    const why = this.kind === "timeout" ? `No answer, and ${silence}` : `The stream broke, and since then ${silence}`
    const error = new AcpError(this.kind, `${call.method}: ${why}`)
    call.settle({ error })
    call.posting.abort(error)
  }
}

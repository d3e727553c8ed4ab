import { claudeLimits } from "@sandbox-agent/schema/driver-limits"
import type { Call } from "./tool-call.ts"

interface Waiting extends Call {
  /** Of its input, as JSON. */
  chars: number
}

/** Calls of tools until their results come. Some never do, and work in the background may take days. */
export class WaitingCalls {
  readonly #calls = new Map<string, Waiting>()
  #chars = 0

  add(id: string, call: Call): void {
    this.take(id)
    const chars = JSON.stringify(call.input).length
    this.#calls.set(id, { ...call, chars })
    this.#chars += chars
    this.#bound()
  }

  take(id: string): Call | undefined {
    const call = this.#calls.get(id)
    this.#calls.delete(id)
    this.#chars -= call?.chars ?? 0
    return call
  }

  /** A call without its input still gives its result a name; its file cannot be told any more. */
  #bound(): void {
    const [oldest] = this.#calls.keys()
    if (this.#calls.size > claudeLimits.waitingCalls && oldest !== undefined) this.take(oldest)
    if (this.#chars <= claudeLimits.waitingInputChars) return
    for (const [id, { chars, name, parent }] of this.#calls) {
      if (this.#chars <= claudeLimits.waitingInputChars) return
      this.#calls.set(id, { name, parent, input: {}, chars: 0 })
      this.#chars -= chars
    }
  }
}

import { callLimits } from "@sandbox-agent/schema/driver-limits"
import type { Json } from "./json.ts"

/** A call of a tool, until its result has come. */
export interface Call {
  name: string
  input: Json
  /** The call of the sub-agent that made it. */
  parent?: string
}

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
    if (this.#calls.size > callLimits.waitingCalls && oldest !== undefined) this.take(oldest)
    if (this.#chars <= callLimits.waitingInputChars) return
    for (const [id, { chars, name, parent }] of this.#calls) {
      if (this.#chars <= callLimits.waitingInputChars) return
      this.#calls.set(id, { name, parent, input: {}, chars: 0 })
      this.#chars -= chars
    }
  }
}

import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Sink } from "../../core/driver.ts"
import type { Line, RpcError } from "./native.ts"

interface Waiter {
  method: string
  /** At once, before the next line is read. */
  accept(result: unknown): void
  reject(error: Error): void
  /** Of the session that asked. */
  sink?: Sink
}

/** Codex refused; its words are all there is to tell one reason from another. */
export class Refused extends SandboxAgentError {
  constructor(
    readonly method: string,
    { message = "no reason" }: RpcError,
  ) {
    super("invalid_request", `Codex refused ${method}: ${message}`)
  }
}

/** Requests of ours that the server has yet to answer. */
export class Replies {
  readonly #waiting = new Map<number, Waiter>()
  #last = 0

  expect(waiter: Waiter): number {
    const id = ++this.#last
    this.#waiting.set(id, waiter)
    return id
  }

  sinkOf({ id }: Line): Sink | undefined {
    return this.#waiting.get(Number(id))?.sink
  }

  settle({ id, result, error }: Line): void {
    const waiter = this.#waiting.get(Number(id))
    if (waiter === undefined) return
    this.#waiting.delete(Number(id))
    if (error === undefined) waiter.accept(result)
    else waiter.reject(new Refused(waiter.method, error))
  }

  failAll(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}

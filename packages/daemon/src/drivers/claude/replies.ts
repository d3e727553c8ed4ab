import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { ControlResponseLine } from "./native.ts"

interface Waiter {
  /** Called in the line that answers; with nothing when it is refused. */
  then: ((payload?: unknown) => void) | undefined
  resolve(payload: unknown): void
  reject(error: Error): void
}

/** Control requests Claude Code has yet to answer. */
export class Replies {
  readonly #waiting = new Map<string, Waiter>()

  expect(then?: Waiter["then"]): { id: string; reply: Promise<unknown> } {
    const id = crypto.randomUUID()
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    // The core may have stopped waiting when the agent is lost.
    promise.catch(() => undefined)
    this.#waiting.set(id, { then, resolve, reject })
    return { id, reply: promise }
  }

  /** Our own answers come back as echoes; nobody waits for those. */
  settle({ response }: ControlResponseLine): void {
    const waiter = this.#waiting.get(response.request_id)
    this.#waiting.delete(response.request_id)
    waiter?.then?.(response.subtype === "error" ? undefined : response.response)
    if (response.subtype === "error")
      waiter?.reject(new SandboxAgentError("invalid_request", `Claude Code refused: ${response.error ?? "no reason"}`))
    else waiter?.resolve(response.response)
  }

  failAll(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}

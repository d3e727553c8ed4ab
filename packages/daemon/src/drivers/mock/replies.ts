import type { Reply } from "./protocol.ts"

interface Waiter {
  resolve(reply: Reply): void
  reject(error: Error): void
}

/** Lines the agent has yet to answer. */
export class Replies {
  private readonly waiting = new Map<number, Waiter>()
  private last = 0

  expect(): { request: number; reply: Promise<Reply> } {
    this.last += 1
    const { promise, resolve, reject } = Promise.withResolvers<Reply>()
    // The core may have stopped waiting when the agent is lost.
    promise.catch(() => undefined)
    this.waiting.set(this.last, { resolve, reject })
    return { request: this.last, reply: promise }
  }

  settle(reply: Reply): void {
    this.waiting.get(reply.request)?.resolve(reply)
    this.waiting.delete(reply.request)
  }

  failAll(error: Error): void {
    for (const { reject } of this.waiting.values()) reject(error)
    this.waiting.clear()
  }
}

export type Outcome<Result, Failure extends Error = Error> = { result: Result } | { error: Failure }

interface Waiter<Result, Owner, Failure extends Error> {
  owner: Owner
  onReply: ((outcome: Outcome<Result, Failure>) => void) | undefined
  resolve(result: Result): void
  reject(error: Error): void
}

export interface SentRequest<Result> {
  /** The pipe has taken it. */
  written: Promise<void>
  reply: Promise<Result>
}

/** Requests of ours that an agent has yet to answer. Whatever was asked is settled, at the latest by `close`. */
export class ReplyTable<Id, Result, Owner = undefined, Failure extends Error = Error> {
  readonly #waiting = new Map<Id, Waiter<Result, Owner, Failure>>()
  #closed: Error | undefined

  constructor(private readonly nextId: () => Id) {}

  /** `onReply` is called while the line of the answer is being read; not when the process is lost. */
  ask(
    send: (id: Id) => Promise<void>,
    owner: Owner,
    onReply?: (outcome: Outcome<Result, Failure>) => void,
  ): SentRequest<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    const written =
      this.#closed === undefined ? this.#send(send, { owner, onReply, resolve, reject }) : Promise.reject(this.#closed)
    // Not everybody waits for both, and whoever asked may have stopped waiting when the process is lost.
    for (const one of [promise, written]) one.catch(reject)
    return { written, reply: promise }
  }

  async #send(send: (id: Id) => Promise<void>, waiter: Waiter<Result, Owner, Failure>): Promise<void> {
    const id = this.nextId()
    this.#waiting.set(id, waiter)
    try {
      await send(id)
    } catch (error) {
      this.#waiting.delete(id)
      throw error
    }
  }

  has(id: Id): boolean {
    return this.#waiting.has(id)
  }

  /** Who waits for this answer, if anybody does. */
  ownerOf(id: Id): Owner | undefined {
    return this.#waiting.get(id)?.owner
  }

  /** `false`: nobody waits for it, or not any more. */
  settle(id: Id, outcome: Outcome<Result, Failure>): boolean {
    const waiter = this.#waiting.get(id)
    if (waiter === undefined) return false
    this.#waiting.delete(id)
    // First, so that whoever waits goes on also when the line cannot be read; it does so after this line.
    if ("result" in outcome) waiter.resolve(outcome.result)
    else waiter.reject(outcome.error)
    waiter.onReply?.(outcome)
    return true
  }

  /** Nothing more will be answered, and nothing asked. */
  close(error: Error): void {
    this.#closed ??= error
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}

/** Numbers from `first` on. */
export function counter(first: number): () => number {
  let next = first
  return () => next++
}

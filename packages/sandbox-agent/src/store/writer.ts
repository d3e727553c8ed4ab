import { type Deferred, withResolvers } from "../deferred.ts"
import type { Event } from "../types.ts"
import type { Lease, LostEvents, SessionBatch, SessionStore } from "./session-store.ts"

interface Waiting {
  events: Event[]
  lost?: LostEvents
}

/** Gathers what comes while the store writes, and gives it all at once. Who brings more than there is room for waits. */
export class Writer {
  readonly #waiting = new Map<string, Waiting>()
  #count = 0
  #writing: Promise<void> | undefined
  #room: Deferred<void> | undefined
  #error: unknown

  constructor(
    private readonly store: SessionStore,
    private readonly lease: Lease,
    private readonly batchEvents: number,
  ) {}

  async push(uid: string, event: Event): Promise<void> {
    this.#entry(uid).events.push(event)
    this.#count++
    this.#begin()
    while (this.#count >= 2 * this.batchEvents && this.#error === undefined) {
      this.#room ??= withResolvers()
      await this.#room.promise
    }
    this.#check()
  }

  /** The daemon has these no more. What is waiting of the session goes first. */
  async lose(uid: string, lost: LostEvents): Promise<void> {
    await this.written()
    this.#entry(uid).lost = lost
    this.#begin()
  }

  /** Resolves when all of it is stored. */
  async written(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing
    this.#check()
  }

  #entry(uid: string): Waiting {
    const found = this.#waiting.get(uid)
    if (found !== undefined) return found
    const made = { events: [] }
    this.#waiting.set(uid, made)
    return made
  }

  #begin(): void {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
      this.#makeRoom()
    })
  }

  async #write(): Promise<void> {
    try {
      while (this.#waiting.size > 0 && this.#error === undefined) {
        // A turn of the loop, so that what came together is written together: a promise alone would not wait for the next event.
        if (this.#count < this.batchEvents) await new Promise((resolve) => setTimeout(resolve))
        const batches: SessionBatch[] = [...this.#waiting].map(([uid, waiting]) => ({ uid, ...waiting }))
        this.#waiting.clear()
        this.#count = 0
        this.#makeRoom()
        await this.store.append(this.lease, batches)
      }
    } catch (error) {
      this.#error = error
    }
  }

  #makeRoom(): void {
    this.#room?.resolve()
    this.#room = undefined
  }

  #check(): void {
    if (this.#error !== undefined) throw this.#error
  }
}

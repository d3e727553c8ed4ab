import { acpLimits } from "@sandbox-agent/schema/acp-limits"

/** A socket, as far as its long messages go. */
export interface Holder {
  /** Bytes that its client has not taken. */
  waiting(): number
  /** Its client takes nothing, and others need the room. */
  giveUp(): void
}

interface Held {
  readonly size: number
  /** What its client had not taken when it was last looked at. */
  before: number
}

/**
 * Room for messages that are too long for a slice: on a WebSocket a message is sent whole, and the runtime keeps a copy
 * for each client that does not take it. Who finds no room waits; whoever takes nothing meanwhile is given up.
 */
export class LongMessages {
  readonly #held = new Map<Holder, Held>()
  readonly #waiting = new Map<Holder, { size: number; resolve(): void }>()
  #bytes = 0
  #timer: Timer | undefined

  constructor(private readonly lookMs: number = acpLimits.longMessageMs) {}

  /** Bytes of messages that have room now. */
  get bytes(): number {
    return this.#bytes
  }

  sizeOf(holder: Holder): number {
    return this.#held.get(holder)?.size ?? 0
  }

  /** Whether it has room for a message of this size, or has it from now on. */
  take(holder: Holder, size: number): boolean {
    const held = this.#held.get(holder)
    if (held !== undefined && held.size >= size) return true
    this.release(holder)
    if (this.#waiting.size > 0 || !this.#fits(size)) return false
    this.#hold(holder, size)
    return true
  }

  /** Resolves when there is room for it, or when it is released. */
  wait(holder: Holder, size: number): Promise<void> {
    this.#timer ??= setInterval(() => this.#look(), this.lookMs)
    return new Promise((resolve) => {
      this.#waiting.set(holder, { size, resolve })
      this.#next()
    })
  }

  release(holder: Holder): void {
    this.#waiting.get(holder)?.resolve()
    this.#waiting.delete(holder)
    this.#bytes -= this.sizeOf(holder)
    this.#held.delete(holder)
    this.#next()
  }

  /** One that is longer than all the room there is goes alone. */
  #fits(size: number): boolean {
    return this.#held.size === 0 || this.#bytes + size <= acpLimits.longMessagesBytes
  }

  #hold(holder: Holder, size: number): void {
    this.#held.set(holder, { size, before: Number.POSITIVE_INFINITY })
    this.#bytes += size
  }

  #next(): void {
    for (const [holder, { size, resolve }] of this.#waiting) {
      if (!this.#fits(size)) return
      this.#waiting.delete(holder)
      this.#hold(holder, size)
      resolve()
    }
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Gives up who took nothing since the last look. */
  #look(): void {
    for (const [holder, held] of this.#held) {
      const now = holder.waiting()
      if (now >= held.before) holder.giveUp()
      held.before = now
    }
  }
}

/** Of the process, as its memory is. */
export const longMessages = new LongMessages()

import type { TurnSink } from "../../core/driver-sink.ts"
import type { Turn } from "./native.ts"
import type { Outcome } from "./outcome.ts"

interface Sent {
  steered: boolean
  /** A command of Codex's own: it takes no user message. */
  command: boolean
}

/** Which message is where, and whether the session's own thread is at work. */
export class Turns {
  /** Sent and not yet taken, by the id of the message. */
  readonly #sent = new Map<string, Sent>()
  readonly #waiting: (() => void)[] = []
  #active: string | undefined

  constructor(private readonly sink: TurnSink) {}

  /** Id of the turn that runs. */
  get active(): string | undefined {
    return this.#active
  }

  /** Nothing runs and nothing of ours is on its way. */
  get isIdle(): boolean {
    return this.#active === undefined && [...this.#sent.values()].every(({ steered }) => steered)
  }

  sending(messageId: string, how: Partial<Sent> = {}): void {
    this.#sent.set(messageId, { steered: false, command: false, ...how })
  }

  /** It did not get there. */
  unsent(messageId: string): void {
    this.#sent.delete(messageId)
    this.#changed()
  }

  started({ id, rootTurnId }: Turn): void {
    // A review has a turn within a turn; the outer one is the one that ends.
    const native = rootTurnId ?? id
    if (this.#active === native) return
    this.#active = native
    this.sink.turnStarted({ origin: this.#sent.size > 0 ? "message" : "agent", native })
    for (const [messageId, { command }] of this.#sent) if (command) this.take(messageId)
    this.#changed()
  }

  take(messageId: string | null | undefined): void {
    if (messageId && this.#sent.delete(messageId)) this.sink.taken(messageId)
  }

  completed(turn: Turn, outcome: Outcome): void {
    this.#active = undefined
    // Steered too late, and not kept for the next turn.
    for (const [messageId, { steered }] of this.#sent) {
      if (steered) this.sink.returned(messageId)
      this.#sent.delete(messageId)
    }
    this.sink.turnEnded({ ...outcome, native: turn.id })
    this.#changed()
  }

  /** Resolves at the next change for which this holds; at once if it does already. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  /** Nobody waits for ever for a server that is gone. */
  end(): void {
    this.#active = undefined
    this.#sent.clear()
    this.#changed()
  }

  #changed(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}

import type { TurnError } from "@sandbox-agent/schema/event"
import type { SessionSink, TurnSink } from "../../core/driver-sink.ts"
import { isCommand } from "./message.ts"
import type { Message } from "./native.ts"
import { outcomeOf } from "./outcome.ts"

interface Queued {
  id: string
  text: string
}

/** Which message is where, and whether Pi is at work. */
export class Turns {
  /** A message was taken, and its turn has not ended. */
  #taken = false
  /** Pi is at work, for whomever. */
  #running = false
  /** Given to a turn that runs, and not yet seen by the model. */
  #queue: Queued[] = []
  #last: Message | undefined
  #changed: (() => void)[] = []

  /** The turn that runs is to end. */
  interrupted = false
  /** The last entry of the session, as our extension tells it: where the turn can be forked. */
  leaf: string | undefined

  constructor(
    private readonly sink: TurnSink & Pick<SessionSink, "error">,
    /** Messages that wait in Pi would run with the next one. */
    private readonly clearQueue: () => void,
  ) {}

  get busy(): boolean {
    return this.#taken || this.#running
  }

  get running(): boolean {
    return this.#running
  }

  taken(id: string): void {
    this.#taken = true
    this.#last = undefined
    this.sink.taken(id)
  }

  /** A command that needed no model. */
  handled(id: string): void {
    this.sink.taken(id)
    if (!this.#running) this.sink.turnEnded({ stop: "end_turn" })
  }

  /** It was not taken. `false`: Pi is at work for somebody else, and that goes on. */
  refused(error: TurnError): boolean {
    if (this.busy) return false
    this.sink.error(error)
    this.sink.turnEnded({ stop: "error", error })
    return true
  }

  /** It waits in Pi for the turn that runs. */
  queued(id: string, text: string): void {
    this.#queue.push({ id, text })
  }

  /** It does not, any more. */
  unqueued(id: string): void {
    this.#queue = this.#queue.filter((one) => one.id !== id)
  }

  /** The model sees a message. Of what an extension or a template makes of one the text differs. */
  userSaid(text: string): void {
    const found = this.#queue.find((one) => one.text === text) ?? this.#queue.find((one) => isCommand(one.text))
    if (found === undefined) return
    this.unqueued(found.id)
    this.sink.taken(found.id)
  }

  /** The queue of Pi is empty now: what was in it goes back. */
  cleared(): void {
    for (const { id } of this.#queue.splice(0)) this.sink.returned(id)
  }

  began(): void {
    if (!this.#running) this.sink.turnStarted({ origin: "agent" })
    this.#running = true
    this.#change()
  }

  answered(message: Message): void {
    this.#last = message
  }

  settled(aborted = this.interrupted): void {
    if (!this.busy) return
    const outcome = outcomeOf(this.#last, aborted)
    this.#taken = false
    this.#running = false
    this.interrupted = false
    this.#last = undefined
    if (outcome.error !== undefined) this.sink.error(outcome.error)
    this.sink.turnEnded({ ...outcome, ...(this.leaf !== undefined && { native: this.leaf }) })
    if (this.#queue.length > 0) this.clearQueue()
    this.#change()
  }

  /** Resolves when it began to work, or came to rest. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#changed.push(resolve))
  }

  #change(): void {
    for (const resolve of this.#changed.splice(0)) resolve()
  }
}

import type { StopReason } from "@sandbox-agent/schema/event"
import type { SessionSink, TurnSink } from "../../core/driver-sink.ts"
import { text } from "../shared/json.ts"
import { turnErrorOf } from "./failure.ts"
import { type Outcome, rpcCodes } from "./peer.ts"

const stops: readonly string[] = ["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"]

/** Whether a prompt is being answered, and whose message it was. */
export class Turn {
  readonly #idle: (() => void)[] = []
  #message: string | undefined
  #heard = Promise.withResolvers<void>()
  #running: boolean = false
  #prepared = false
  /** Somebody wants it to end. */
  interrupted = false
  /** The agent said so, though its answer will not. */
  failed = false

  /** Called when none runs any more. */
  onRest: () => void = () => {}

  constructor(private readonly sink: SessionSink & TurnSink) {}

  get running(): boolean {
    return this.#running
  }

  /** It runs, or its message is being prepared: for the session it has begun. */
  get underWay(): boolean {
    return this.#running || this.#prepared
  }

  /** Its message is not known to have been taken. */
  get waits(): boolean {
    return this.#message !== undefined
  }

  /** Resolves when the message is taken. */
  get heard(): Promise<void> {
    return this.#heard.promise
  }

  prepares(): void {
    this.#prepared = true
  }

  begin(messageId: string): void {
    this.#prepared = false
    this.#heard = Promise.withResolvers()
    this.#running = true
    this.#message = messageId
    this.interrupted = false
    this.failed = false
  }

  /** The agent has the message: told by the pipe, or by its first word of an answer if that is faster. */
  taken(): void {
    const id = this.#message
    if (id === undefined) return
    this.#message = undefined
    this.#heard.resolve()
    this.sink.taken(id)
  }

  /** Never written: nothing was taken, nothing will be answered. */
  unsent(): void {
    this.#message = undefined
    this.#rest()
  }

  /** `said`: the text of a failure, where the answer itself has none. */
  end(outcome: Outcome, login: string, said: string): void {
    this.taken()
    const effective = this.failed && "result" in outcome ? failureOf(said) : outcome
    const end = endOf(effective, this.interrupted, login)
    if (end.error !== undefined) this.sink.error(end.error)
    this.sink.turnEnded(end)
    this.#rest()
  }

  idle(): Promise<void> {
    return this.#running ? new Promise((resolve) => this.#idle.push(resolve)) : Promise.resolve()
  }

  #rest(): void {
    this.#running = false
    this.#prepared = false
    for (const resolve of this.#idle.splice(0)) resolve()
    // What ends with the turn comes first.
    queueMicrotask(() => this.onRest())
  }
}

const failureOf = (said: string): Outcome => ({
  failure: { code: rpcCodes.internal, message: said.trim() || "the agent failed and did not say why" },
})

/** Some answer an interrupt with an error. */
function endOf(outcome: Outcome, interrupted: boolean, login: string) {
  if (interrupted) return { stop: "cancelled" as const }
  if ("failure" in outcome) return { stop: "error" as const, error: turnErrorOf(outcome.failure, login) }
  const stop = text(outcome.result.stopReason) ?? ""
  // A stop that nobody asked for is the agent's own: its turn is over all the same.
  return { stop: (stops.includes(stop) ? stop : "end_turn") as StopReason }
}

import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Sink } from "../../core/driver.ts"
import type { AssistantMessage, Message, NativeError, UserMessage } from "./native.ts"
import { isTrace, type Outcome, outcomeOf, turnError } from "./outcome.ts"

interface Sent {
  messageId: string
  steered: boolean
  /** Sends it once more under the same id. */
  again?: () => Promise<unknown>
  /** OpenCode writes the message by itself, under an id of its own. */
  unnamed?: boolean
}

export interface TurnEvents {
  began(): void
  /** Idle was told before the end of an answer, which normally follows at once. */
  early(): void
  ended(outcome: Outcome): void
}

/** Which message is where, and whether OpenCode is at work. */
export class Turns {
  /** Posted, and not yet told by OpenCode; by the id we gave. */
  readonly #sent = new Map<string, Sent>()
  readonly #waiting: { ready: () => boolean; resolve: () => void }[] = []
  /** Answers that are not finished. An idle before their end is one too early, and a prompt then would be lost. */
  readonly #open = new Set<string>()
  #running = false
  #busy = false
  #early = false
  /** The last message of ours that it took, until an answer to it begins. */
  #unanswered: { id: string; sent: Sent } | undefined
  #last: AssistantMessage | undefined
  /** Native id of the message that the turn began with. */
  #first: string | undefined
  /** Native id of the last message of any kind: where a fork of this turn ends. */
  #head: string | undefined
  #error: NativeError | undefined
  /** Its failure will be told once more. */
  #traceDue = false
  #abort: "none" | "asked" | "confirmed" = "none"
  /** All of a turn that is being aborted was told. */
  #settled = false

  constructor(
    private readonly sink: Sink,
    private readonly events: TurnEvents,
  ) {}

  /** Idle, but the answer has no end. */
  get isEarly(): boolean {
    return this.#running && this.#early
  }

  get running(): boolean {
    return this.#running
  }

  /** A turn runs, or one is about to. */
  get active(): boolean {
    return this.#running || this.#unseen !== undefined
  }

  get #unseen(): [string, Sent] | undefined {
    return [...this.#sent].find(([, { steered }]) => !steered)
  }

  sent(id: string, message: Sent): void {
    this.#sent.set(id, message)
  }

  /** It was refused at the door. */
  withdraw(id: string): boolean {
    return this.#sent.delete(id)
  }

  /** A command that came to nothing. */
  refused(message: string): void {
    if (!this.#running) this.#over({ stop: "error", error: { code: "invalid_request", message } })
  }

  /** Of this turn, not of one before it. */
  concerns(message: Message): boolean {
    const asked = message.role === "user" ? message.id : message.parentID
    return this.#sent.has(asked) || (this.#running && this.#first !== undefined && asked >= this.#first)
  }

  user({ id }: Pick<UserMessage, "id">): void {
    const [key, sent] = this.#sentAs(id)
    if (sent === undefined) return
    this.#sent.delete(key)
    this.#begin("message", id)
    this.#head = id
    this.#unanswered = { id, sent }
    this.sink.taken(sent.messageId)
  }

  #sentAs(id: string): [string, Sent | undefined] {
    const known = this.#sent.get(id)
    const unnamed = known === undefined ? [...this.#sent].find(([, sent]) => sent.unnamed) : undefined
    return unnamed ?? [id, known]
  }

  busy(): void {
    // A message of ours that it has not told yet would come before this: it is work of its own.
    this.#begin("agent")
    this.#busy = true
    this.#wake()
  }

  assistant(message: AssistantMessage): void {
    if (!this.#running) return
    this.#early = false
    if (message.time.completed === undefined) this.#open.add(message.id)
    else this.#open.delete(message.id)
    // A steered one waits until what it came into is said.
    if (this.#unanswered !== undefined && message.parentID >= this.#unanswered.id) this.#unanswered = undefined
    // Its error is told with it; what is told without one has no answer at all.
    if (message.error !== undefined) this.#error = undefined
    this.#first ??= message.parentID
    this.#last = message
    this.#head = message.id
  }

  error(error: NativeError): void {
    if (isTrace(error) && this.#traceDue) {
      this.#traceDue = false
      return
    }
    if (this.#running) {
      this.#error = error
      // The run itself broke down: what it was about to end will not be ended.
      if (isTrace(error) && this.#early) this.#over({ stop: "error", error: turnError(error) })
      return
    }
    const unseen = this.#unseen
    if (unseen === undefined) return
    // It never became a message: there is no agent or command of that name, or a file could not be read.
    this.#sent.delete(unseen[0])
    this.#traceDue = !isTrace(error)
    this.#over({ stop: "error", error: turnError(error) })
  }

  /** `final`: it was asked whether it is idle, and it is. */
  idle(final = false): void {
    if (!this.#running) return
    if (this.#open.size > 0 && !final) {
      this.#early = true
      return this.events.early()
    }
    const lost = this.#abort === "none" && this.#error === undefined ? this.#unanswered : undefined
    if (lost !== undefined) return this.#sendAgain(lost)
    if (this.#abort !== "asked") return this.#end()
    this.#settled = true // the answer to the abort tells when a prompt would be taken
  }

  /** Resolves when there is something to abort, or nothing any more. */
  started(): Promise<void> {
    return this.#until(() => (this.#running && this.#busy) || !this.active)
  }

  /** Until then a prompt would be taken into the run that is being stopped. */
  aborting(): void {
    this.#abort = "asked"
    this.#settled = false
  }

  /** OpenCode has stopped; what it has left to say of this turn is on its way. */
  async aborted(withinMs: number): Promise<void> {
    this.#abort = "confirmed"
    if (this.#running && this.#settled) return this.#end()
    const late = Bun.sleep(withinMs)
    await Promise.race([this.#until(() => !this.#running), late])
    if (this.#running) this.#end()
  }

  notAborted(): void {
    this.#abort = "none"
  }

  #begin(origin: "message" | "agent", native?: string): void {
    if (this.#running) return
    this.#running = true
    this.#first = native
    this.#busy = false
    this.#early = false
    this.#open.clear()
    this.#last = undefined
    this.#error = undefined
    this.#unanswered = undefined
    this.#abort = "none"
    this.#traceDue = false
    this.events.began()
    this.sink.turnStarted({ origin, ...(native !== undefined && { native }) })
  }

  /** It came in the moment when the run before it ended: stored, and never looked at. */
  #sendAgain({ id, sent }: { id: string; sent: Sent }): void {
    const { again } = sent
    if (again === undefined) return this.#end()
    // What went before it in this turn has failed; it has not been tried.
    const failed = this.#last?.error
    if (failed !== undefined) this.sink.error(turnError(failed))
    this.#unanswered = { id, sent: { ...sent, again: undefined } }
    again().catch((error: unknown) => {
      const message = SandboxAgentError.is(error) ? error.detail : String(error)
      if (this.#running) this.#over({ stop: "error", error: { code: "unavailable", message: message } })
    })
  }

  #end(): void {
    if (this.#abort !== "none") return this.#over({ stop: "cancelled" })
    const { error, finish } = this.#last ?? {}
    const answered = this.#last !== undefined && this.#unanswered === undefined
    const failure = error ?? (answered ? undefined : this.#error)
    this.#traceDue = error === undefined && failure !== undefined
    const silent = !answered ? "OpenCode did not answer the message" : "OpenCode stopped in the middle of its answer"
    if (failure === undefined && (!answered || this.#open.size > 0))
      return this.#over({ stop: "error", error: { code: "unavailable", message: silent } })
    this.#over(outcomeOf(failure, finish))
  }

  #over(outcome: Outcome): void {
    this.#running = false
    this.#busy = false
    this.events.ended(outcome)
    if (outcome.error !== undefined) this.sink.error(outcome.error)
    this.sink.turnEnded({ ...outcome, ...(this.#head !== undefined && { native: this.#head }) })
    this.#wake()
  }

  #until(ready: () => boolean): Promise<void> {
    if (ready()) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push({ ready, resolve }))
  }

  #wake(): void {
    for (const one of this.#waiting.splice(0)) {
      if (one.ready()) one.resolve()
      else this.#waiting.push(one)
    }
  }
}

import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import type { SessionSink, TurnSink } from "../../core/driver-sink.ts"
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
  /** It said idle before the end of an answer, which normally follows at once. */
  early(): void
  ended(outcome: Outcome): void
}

/** A turn that runs. */
interface RunningTurn {
  /** `begun`: it has our message. `working`: it said that it is busy. `early`: it said idle while an answer is not finished. */
  phase: "begun" | "working" | "early"
  /** `settled`: all of the turn was reported, and the answer to the abort is awaited: only then a prompt would be taken. */
  abort: "none" | "asked" | "settled" | "confirmed"
  /** Native id of the message that it began with. */
  first: string | undefined
  /** Answers that are not finished. An idle before their end is one too early, and a prompt then would be lost. */
  readonly open: Set<string>
  /** The last message of ours that it took, until an answer to it begins. */
  unanswered?: { id: string; sent: Sent }
  last?: AssistantMessage
  error?: NativeError
}

/** Which message is where, and whether OpenCode is at work. */
export class Turns {
  /** Posted, and not yet reported by OpenCode; by the id we gave. */
  readonly #sent = new Map<string, Sent>()
  readonly #waiting: { ready: () => boolean; resolve: () => void }[] = []
  #turn: RunningTurn | undefined
  /** Native id of the last message of any kind: where a fork of this turn ends. */
  #head: string | undefined
  /** The failure that ended a turn, or kept one from beginning, will be reported once more. */
  #traceDue = false
  /** Turns in a row that broke down before any answer was begun, by no fault of a provider. */
  #broken = 0
  #brokenBy = ""

  constructor(
    private readonly sink: SessionSink & TurnSink,
    private readonly events: TurnEvents,
  ) {}

  /** Idle, but the answer has no end. */
  get isEarly(): boolean {
    return this.#turn?.phase === "early"
  }

  /** Why it cannot go on with what it kept: it reads that before each answer, and breaks down every time. */
  get brokenBy(): string | undefined {
    return this.#broken < limits.resumeTries ? undefined : this.#brokenBy
  }

  get running(): boolean {
    return this.#turn !== undefined
  }

  /** A turn runs, or one is about to. */
  get active(): boolean {
    return this.running || this.#unseen !== undefined
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
    if (!this.running) this.#over({ stop: "error", error: { code: "invalid_request", message } })
  }

  /** Of this turn, not of one before it. */
  concerns(message: Message): boolean {
    const asked = message.role === "user" ? message.id : message.parentID
    const first = this.#turn?.first
    return this.#sent.has(asked) || (first !== undefined && asked >= first)
  }

  user({ id }: Pick<UserMessage, "id">): void {
    const [key, sent] = this.#sentAs(id)
    if (sent === undefined) return
    this.#sent.delete(key)
    const turn = this.#begin("message", id)
    this.#head = id
    turn.unanswered = { id, sent }
    this.sink.taken(sent.messageId)
  }

  #sentAs(id: string): [string, Sent | undefined] {
    const known = this.#sent.get(id)
    const unnamed = known === undefined ? [...this.#sent].find(([, sent]) => sent.unnamed) : undefined
    return unnamed ?? [id, known]
  }

  busy(): void {
    // A message of ours that it has not reported yet would come before this: it is work of its own.
    const turn = this.#begin("agent")
    if (turn.phase === "begun") turn.phase = "working"
    this.#wake()
  }

  assistant(message: AssistantMessage): void {
    const turn = this.#turn
    if (turn === undefined) return
    if (turn.phase === "early") turn.phase = "working"
    if (message.time.completed === undefined) turn.open.add(message.id)
    else turn.open.delete(message.id)
    // A steered one waits until what it came into is said.
    if (turn.unanswered !== undefined && message.parentID >= turn.unanswered.id) turn.unanswered = undefined
    // Its error comes with it; one that comes without a message is of a turn that has no answer at all.
    if (message.error !== undefined) turn.error = undefined
    turn.first ??= message.parentID
    turn.last = message
    this.#head = message.id
  }

  error(error: NativeError): void {
    if (isTrace(error) && this.#traceDue) {
      this.#traceDue = false
      return
    }
    if (this.#turn !== undefined) {
      this.#turn.error = error
      // The run itself broke down: what it was about to end will not be ended.
      if (isTrace(error) && this.isEarly) this.#over({ stop: "error", error: turnError(error) })
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
    const turn = this.#turn
    if (turn === undefined) return
    if (turn.open.size > 0 && !final) {
      turn.phase = "early"
      return this.events.early()
    }
    const lost = turn.abort === "none" && turn.error === undefined ? turn.unanswered : undefined
    if (lost !== undefined) return this.#sendAgain(turn, lost)
    if (turn.abort === "asked") turn.abort = "settled"
    else if (turn.abort !== "settled") this.#end(turn)
  }

  /** Resolves when there is something to abort, or nothing any more. */
  started(): Promise<void> {
    return this.#until(() => (this.#turn !== undefined && this.#turn.phase !== "begun") || !this.active)
  }

  /** Until then a prompt would be taken into the run that is being stopped. */
  aborting(): void {
    if (this.#turn !== undefined) this.#turn.abort = "asked"
  }

  /** OpenCode has stopped; what it has left to say of this turn is on its way. */
  async aborted(withinMs: number): Promise<void> {
    const turn = this.#turn
    if (turn === undefined) return
    if (turn.abort === "settled") return this.#end(turn)
    turn.abort = "confirmed"
    const late = Bun.sleep(withinMs)
    await Promise.race([this.#until(() => !this.running), late])
    if (this.#turn !== undefined) this.#end(this.#turn)
  }

  notAborted(): void {
    if (this.#turn !== undefined) this.#turn.abort = "none"
  }

  /** The turn that runs, or a new one. */
  #begin(origin: "message" | "agent", native?: string): RunningTurn {
    if (this.#turn !== undefined) return this.#turn
    const turn: RunningTurn = { phase: "begun", abort: "none", first: native, open: new Set() }
    this.#turn = turn
    this.#traceDue = false
    this.events.began()
    this.sink.turnStarted({ origin, ...(native !== undefined && { native }) })
    return turn
  }

  /** It came in the moment when the run before it ended: stored, and never looked at. */
  #sendAgain(turn: RunningTurn, { id, sent }: { id: string; sent: Sent }): void {
    const { again } = sent
    if (again === undefined) return this.#end(turn)
    // What went before it in this turn has failed; it has not been tried.
    const failed = turn.last?.error
    if (failed !== undefined) this.sink.error(turnError(failed))
    turn.unanswered = { id, sent: { ...sent, again: undefined } }
    again().catch((error: unknown) => {
      const message = SandboxAgentError.is(error) ? error.detail : String(error)
      if (this.running) this.#over({ stop: "error", error: { code: "unavailable", message } })
    })
  }

  #end(turn: RunningTurn): void {
    if (turn.abort !== "none") return this.#over({ stop: "cancelled" })
    const { error, finish } = turn.last ?? {}
    const answered = turn.last !== undefined && turn.unanswered === undefined
    const failure = error ?? (answered ? undefined : turn.error)
    this.#traceDue = error === undefined && failure !== undefined
    const silent = !answered ? "OpenCode did not answer the message" : "OpenCode stopped in the middle of its answer"
    if (failure === undefined && (!answered || turn.open.size > 0))
      return this.#over({ stop: "error", error: { code: "unavailable", message: silent } })
    this.#over(outcomeOf(failure, finish))
  }

  #over(outcome: Outcome): void {
    const isBroken = outcome.error?.code === "unknown" && this.#turn !== undefined && this.#turn.last === undefined
    this.#broken = isBroken ? this.#broken + 1 : 0
    this.#brokenBy = outcome.error?.message ?? ""
    this.#turn = undefined
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

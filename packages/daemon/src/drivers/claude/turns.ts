import type { TurnSink } from "../../core/driver-sink.ts"
import type { LifecycleLine, ResultLine } from "./native.ts"
import type { Outcome } from "./outcome.ts"

interface Sent {
  messageId: string
  steered: boolean
}

/** Which message is where, and whether Claude Code is at work. */
export class Turns {
  /** Written to Claude Code and not yet taken, by the uuid we gave. */
  readonly #sent = new Map<string, Sent>()
  readonly #idle: (() => void)[] = []
  /** Between `init` and `result`. */
  #running = false
  /** A message was taken since the last result: its turn has begun, whether or not we have seen `init`. */
  #taken = false
  /** It reports what becomes of each message; older versions only echo them. */
  #tellsFate = false
  /** Background work ended: a turn of Claude Code's own comes. */
  #agentTurnDue = false

  /** The turn that runs is to end. */
  interrupted = false

  constructor(private readonly sink: TurnSink) {}

  get busy(): boolean {
    return this.#running || this.#taken
  }

  get reportsMessageState(): boolean {
    return this.#tellsFate
  }

  /** Not yet taken, oldest first. */
  get waiting(): string[] {
    return [...this.#sent.keys()]
  }

  sent(messageId: string, steered: boolean): string {
    const uuid = crypto.randomUUID()
    this.#sent.set(uuid, { messageId, steered })
    return uuid
  }

  take(uuid: string | undefined): void {
    const sent = uuid === undefined ? undefined : this.#sent.get(uuid)
    if (uuid === undefined || sent === undefined) return
    this.#sent.delete(uuid)
    this.#taken = true
    this.sink.taken(sent.messageId)
  }

  lifecycle({ command_uuid, state }: LifecycleLine): void {
    this.#tellsFate = true
    if (state === "started") this.take(command_uuid)
    else if (state === "cancelled") this.giveBack(command_uuid)
  }

  /** It left Claude Code's queue unseen by the model. */
  giveBack(uuid: string): void {
    const sent = this.#sent.get(uuid)
    if (sent === undefined) return
    this.#sent.delete(uuid)
    this.sink.returned(sent.messageId)
    if (sent.steered || this.busy) return
    // The turn the core opened for it has nothing to wait for.
    this.sink.turnEnded({ stop: "cancelled" })
    this.#rest()
  }

  backgroundEnded(): void {
    if (!this.#running) this.#agentTurnDue = true
  }

  init(): void {
    const agentTurn = this.#agentTurnDue
    this.#agentTurnDue = false
    if (!this.#running) this.sink.turnStarted({ origin: "agent" })
    this.#running = true
    // The echo of an older version comes only after the first words of the answer.
    if (!this.#tellsFate && !agentTurn) this.take(this.waiting[0])
  }

  result(line: ResultLine, outcome: Outcome): void {
    for (const uuid of line.user_message_uuids ?? []) this.take(uuid)
    if (!this.#tellsFate && !this.#running) this.take(this.waiting[0])
    const ours = [...this.#sent.values()].some(({ steered }) => !steered)
    if (!this.busy && !ours) return
    this.#running = false
    this.#taken = false
    this.interrupted = false
    // A turn of its own ended while our message waits behind it: whatever became of it, ours is still to come.
    if (ours) this.sink.turnEnded({ stop: "end_turn" })
    else this.sink.turnEnded(outcome)
    if (!ours) this.#rest()
  }

  /** Resolves when nothing runs and nothing of ours waits to run. */
  idle(): Promise<void> {
    const steeredOnly = [...this.#sent.values()].every(({ steered }) => steered)
    if (!this.busy && steeredOnly) return Promise.resolve()
    return new Promise((resolve) => this.#idle.push(resolve))
  }

  #rest(): void {
    for (const resolve of this.#idle.splice(0)) resolve()
  }
}

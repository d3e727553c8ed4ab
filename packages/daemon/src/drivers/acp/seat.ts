import type { Exit, Host, Sink } from "../../core/driver.ts"
import type { PoolMember } from "../shared/pool.ts"
import type { Hold } from "./server.ts"
import type { AcpSession } from "./session.ts"

/** One session's place in a process, its own or one that others use. */
export class Seat implements PoolMember {
  #hold: Hold | undefined
  #drained = false

  constructor(
    private readonly session: AcpSession,
    private readonly sink: Sink,
    private readonly host: Host,
  ) {}

  room = () => this.host.room?.()

  taken(hold: Hold): void {
    this.#hold = hold
    this.session.turn.onRest = () => this.#leaveIfDrained()
  }

  lost = (exit: Exit): void => {
    const { session } = this
    const open = this.#hold !== undefined
    this.#hold = undefined
    session.turn.unsent()
    session.asks.forget()
    void session.terminals.endAll()
    if (open) this.sink.gone(exit)
  }

  draining = (): void => {
    this.#drained = true
    this.#leaveIfDrained()
  }

  /** The process is stuck for somebody and is to end: who can come back goes as soon as nothing is lost by it. */
  #leaveIfDrained(): void {
    const { session } = this
    const hold = this.#hold
    if (!this.#drained || hold === undefined || session.turn.running) return
    const { load, resume } = hold.abilities
    if (!session.ref.durable || !(load || resume)) return
    hold.process.leave(session)
    this.lost({ code: 0, message: "the process it shared is being replaced" })
    hold.leave().catch((error: unknown) => this.host.log("warn", "a process was not left", { error: String(error) }))
  }
}

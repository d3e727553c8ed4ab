import { acpAgentLimits } from "@sandbox-agent/schema/driver-limits"
import { MemoryGone, type NativeRef } from "../../core/driver.ts"
import type { SessionPatch, SessionSink } from "../../core/driver-sink.ts"
import type { Chooser, Stray } from "./chooser.ts"
import { NotPutBack } from "./initial.ts"
import type { Ask } from "./passthrough-choices.ts"
import { RpcError } from "./peer.ts"

interface Guarded {
  readonly sink: SessionSink & { native(method: string): void }
  readonly chooser: Chooser
  readonly ref: NativeRef
  readonly change: Ask
  cancel(): Promise<void>
}

/** Keeps an agent out of modes and options with which it would not ask: one that moves there by itself is put back, and the log says so. */
export class ModeGuard {
  /** How often since the last turn began. */
  #count = 0
  /** Being put back, or stopped. */
  #work: Promise<void> | undefined

  constructor(private readonly session: Guarded) {}

  turnBegins(): void {
    this.#count = 0
  }

  /** Whether a message can go at once. */
  get isReady(): boolean {
    return this.#work === undefined && this.session.chooser.stray() === undefined
  }

  /** Before a message goes: what still does not ask as it should gets none, and is not gone on with. */
  async ready(): Promise<void> {
    while (this.#work !== undefined) await this.#work
    const { chooser } = this.session
    if (chooser.stray() !== undefined) await this.#putBack().catch(gone)
    const stray = chooser.stray()
    if (stray !== undefined) gone(new NotPutBack(`it stays ${stray.place}`))
  }

  reported(patch: SessionPatch): void {
    const { sink, ref, chooser } = this.session
    sink.session(patch)
    if (ref.initial !== undefined) ref.initial = chooser.initial
    this.changed()
  }

  /** Also after a change of ours: what it said meanwhile may have come last. */
  changed(): void {
    const stray = this.session.chooser.stray()
    // One that was stopped is put back before the next turn.
    if (stray === undefined || this.#count > acpAgentLimits.modeRestores) return
    this.session.sink.status(stray.what, `the agent ${stray.went} by itself and is put back`)
    this.#count += 1
    const back = this.#count > acpAgentLimits.modeRestores ? this.#stop(stray) : this.#again(stray)
    const work = back
      .catch((error: unknown) => this.#stop(stray, error))
      .finally(() => {
        if (this.#work === work) this.#work = undefined
      })
    this.#work = work
  }

  async #again({ what }: Stray): Promise<void> {
    await this.#putBack()
    // Clients of the agent's own protocol have heard of the change from the agent, and hear of this here.
    if (what === "option") this.session.sink.native("session/set_config_option")
    this.changed()
  }

  async #putBack(): Promise<void> {
    const { ref, chooser, change } = this.session
    if (ref.id !== undefined) await chooser.apply({}, ref.id, change)
  }

  /** It does not stay where it asks: it does nothing more in this turn. */
  async #stop(stray: Stray, error?: unknown): Promise<void> {
    const { session } = this
    const why = error === undefined ? "it does not stay out of it" : String(error)
    const code = stray.what === "mode" ? "mode_not_supported" : "permission_denied"
    session.sink.error({ code, message: `the agent is stopped ${stray.place}: ${why}` })
    await session.cancel().catch(() => undefined) // a process that is gone does nothing more either
  }
}

function gone(error: unknown): never {
  const isRefusal = error instanceof NotPutBack || error instanceof RpcError
  throw isRefusal ? new MemoryGone(`the agent may no longer ask: ${error.message}`) : error
}

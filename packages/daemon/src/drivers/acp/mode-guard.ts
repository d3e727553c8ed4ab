import { acpAgentLimits } from "@sandbox-agent/schema/driver-limits"
import type { NativeRef } from "../../core/driver.ts"
import type { SessionSink } from "../../core/driver-sink.ts"
import type { Chooser, SettingsReport } from "./chooser.ts"
import type { Ask } from "./passthrough-choices.ts"

interface Guarded {
  readonly sink: SessionSink
  readonly chooser: Chooser
  readonly ref: NativeRef
  readonly change: Ask
  cancel(): Promise<void>
}

/** Keeps an agent out of modes in which it would not ask: one that moves there by itself is put back, and the log says so. */
export class ModeGuard {
  /** How often in this turn. */
  #count = 0

  constructor(private readonly session: Guarded) {}

  turnBegins(): void {
    this.#count = 0
  }

  reported({ patch, stray }: SettingsReport): void {
    this.session.sink.session(patch)
    this.#keep(stray)
  }

  /** After a change of ours: what it said meanwhile may have come last. */
  changed(): void {
    this.#keep(this.session.chooser.stray)
  }

  #keep(stray: string | undefined): void {
    if (stray === undefined) return
    const { sink } = this.session
    sink.status("mode", `the agent went into its mode ${stray} by itself and is put back`)
    this.#count += 1
    const back = this.#count > acpAgentLimits.modeRestores ? this.#stop(stray) : this.#putBack()
    back.catch((error: unknown) => this.#stop(stray, error))
  }

  async #putBack(): Promise<void> {
    const { ref, chooser, change } = this.session
    if (ref.id === undefined) return
    await chooser.apply({}, ref.id, change)
    this.changed()
  }

  /** It does not stay where it asks: it does nothing more in this turn. */
  async #stop(stray: string, error?: unknown): Promise<void> {
    const { session } = this
    const why = error === undefined ? "it does not stay out of it" : String(error)
    session.sink.error({ code: "mode_not_supported", message: `the agent is stopped in its mode ${stray}: ${why}` })
    await session.cancel().catch(() => undefined) // a process that is gone does nothing more either
  }
}

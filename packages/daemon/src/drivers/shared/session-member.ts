import type { Host } from "../../core/driver.ts"
import type { Exit } from "../../core/driver-sink.ts"
import type { PoolMember } from "./pool.ts"

/** What a session does when something happens to the server it uses. */
export interface SessionHooks {
  /** Nothing is lost when it leaves now, and it can come back. */
  canLeave(): boolean
  /** Its server is being replaced: it gives back what it has there; the next message opens it again. */
  leave(): void
  lost(exit: Exit): void
}

/** One session among those that share a server. */
export class SessionMember implements PoolMember {
  #hooks: SessionHooks | undefined
  #drained = false

  constructor(protected readonly host: Pick<Host, "room">) {}

  readonly room = (): Promise<void> | undefined => this.host.room?.()

  /** It is open. Until then its opening fails with the server. */
  opened(hooks: SessionHooks): void {
    this.#hooks = hooks
  }

  /** It is closed, or was lost. */
  closed(): void {
    this.#hooks = undefined
  }

  readonly lost = (exit: Exit): void => {
    const hooks = this.#hooks
    this.closed()
    hooks?.lost(exit)
  }

  readonly draining = (): void => {
    this.#drained = true
    this.leaveIfDrained()
  }

  /** Whenever a turn has ended. */
  leaveIfDrained(): void {
    if (!this.#drained || this.#hooks?.canLeave() !== true) return
    const hooks = this.#hooks
    this.closed()
    hooks.leave()
  }
}

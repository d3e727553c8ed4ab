import { acpAgentLimits } from "@sandbox-agent/schema/driver-limits"

/** Names of sessions that have left a process: an agent may go on speaking of them, and nobody else is to hear it. */
export class LeftSessions {
  /** As hashes: an agent makes names as long as it likes. */
  readonly #names = new Set<number | bigint>()

  /** The oldest is forgotten first. */
  add(sessionId: string): void {
    const name = Bun.hash(sessionId)
    this.#names.delete(name)
    this.#names.add(name)
    if (this.#names.size <= acpAgentLimits.leftSessions) return
    for (const oldest of this.#names) return void this.#names.delete(oldest)
  }

  has(sessionId: string): boolean {
    return this.#names.size > 0 && this.#names.has(Bun.hash(sessionId))
  }

  /** It is gone on with. */
  delete(sessionId: string): void {
    this.#names.delete(Bun.hash(sessionId))
  }
}

import { acpAgentLimits } from "@sandbox-agent/schema/driver-limits"
import type { Incoming } from "./peer.ts"

interface Early {
  raw: string
  incoming: Incoming
}

/** What an agent says of sessions while they are being opened, before it has answered with their ids. */
export class EarlyLines {
  readonly #lines = new Map<string, Early[]>()
  #chars = 0

  /** `false`: there is no room for more. */
  keep(sessionId: string, raw: string, incoming: Incoming): boolean {
    if (this.#chars + raw.length > acpAgentLimits.earlyChars) return false
    this.#chars += raw.length
    const lines = this.#lines.get(sessionId) ?? []
    this.#lines.set(sessionId, lines)
    lines.push({ raw, incoming })
    return true
  }

  take(sessionId: string): readonly Early[] {
    const lines = this.#lines.get(sessionId) ?? []
    this.#lines.delete(sessionId)
    for (const { raw } of lines) this.#chars -= raw.length
    return lines
  }

  clear(): void {
    this.#lines.clear()
    this.#chars = 0
  }
}

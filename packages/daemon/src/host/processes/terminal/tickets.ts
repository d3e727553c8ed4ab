import { randomBytes } from "node:crypto"
import { processLimits } from "@sandbox-agent/schema/process-limits"

/** Tickets open one terminal once, for browsers, which cannot send a header with a WebSocket. */
export class Tickets {
  readonly #open = new Map<string, { process: string; until: number }>()

  issue(process: string): { ticket: string; expiresAtMs: number } {
    const now = Date.now()
    for (const [ticket, { until }] of this.#open) if (until <= now) this.#open.delete(ticket)
    // The oldest goes, were there so many at once.
    if (this.#open.size >= processLimits.tickets) this.#open.delete(this.#open.keys().next().value ?? "")
    const ticket = randomBytes(24).toString("base64url")
    const until = now + processLimits.ticketMs
    this.#open.set(ticket, { process, until })
    return { ticket, expiresAtMs: until }
  }

  /** True once for each. */
  redeem(ticket: string, process: string): boolean {
    const found = this.#open.get(ticket)
    this.#open.delete(ticket)
    return found !== undefined && found.process === process && found.until > Date.now()
  }
}

import { randomBytes } from "node:crypto"
import { limits } from "@sandbox-agent/schema/limits"

/** Each signs one page in, once: an address that carries one is worth nothing to whoever finds it later. */
export class SignInTickets {
  readonly #open = new Map<string, number>()

  issue(now = Date.now()): { ticket: string; expiresAtMs: number } {
    for (const [ticket, until] of this.#open) if (until <= now) this.#open.delete(ticket)
    // The oldest goes, were there so many at once.
    if (this.#open.size >= limits.signInTickets) this.#open.delete(this.#open.keys().next().value ?? "")
    const ticket = randomBytes(24).toString("base64url")
    const expiresAtMs = now + limits.signInTicketMs
    this.#open.set(ticket, expiresAtMs)
    return { ticket, expiresAtMs }
  }

  /** True once for each. */
  redeem(ticket: string, now = Date.now()): boolean {
    const until = this.#open.get(ticket)
    this.#open.delete(ticket)
    return until !== undefined && until > now
  }
}

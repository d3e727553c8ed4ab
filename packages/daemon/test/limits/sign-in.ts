import { limits } from "@sandbox-agent/schema/limits"
import { expect } from "vitest"
import { SignInTickets } from "../../src/faces/http/sign-in-tickets.ts"
import { overfill } from "./overfill.ts"

overfill(["signInTickets"], "beyond so many that nobody used, the oldest is worth nothing", () => {
  const tickets = new SignInTickets()
  const [first, second] = Array.from({ length: limits.signInTickets + 1 }, () => tickets.issue().ticket)
  expect(tickets.redeem(first ?? "")).toBe(false)
  expect(tickets.redeem(second ?? "")).toBe(true)
})

overfill(["signInTicketMs"], "a ticket is good for so long, and once", () => {
  const tickets = new SignInTickets()
  const now = Date.now()
  const { ticket, expiresAtMs } = tickets.issue(now)
  expect(expiresAtMs).toBe(now + limits.signInTicketMs)
  expect(tickets.redeem(ticket, expiresAtMs - 1)).toBe(true)
  expect(tickets.redeem(ticket, expiresAtMs - 1)).toBe(false)
  expect(tickets.redeem(tickets.issue(now).ticket, expiresAtMs)).toBe(false)
})

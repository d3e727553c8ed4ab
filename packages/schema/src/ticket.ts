import { z } from "zod"

/** What a page was opened with, to be signed in without anybody typing a token. */
export const RedeemTicketSchema = z.strictObject({
  ticket: z.string().min(1).max(200).describe("of `POST /v1/tickets`"),
})

export const TicketSchema = z.object({
  ticket: z.string(),
  expiresAtMs: z.number().describe("milliseconds since 1970"),
})
export const RedeemedTicketSchema = z.object({
  token: z.string().optional().describe("absent where the daemon asks for none"),
})

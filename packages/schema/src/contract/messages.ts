import { limits } from "../limits.ts"
import { MessageIdSchema, PostMessageSchema } from "../message.ts"
import { flag, integer } from "./query.ts"
import { route } from "./route.ts"
import { sessionParams } from "./sessions.ts"

const offset = integer(0)
  .optional()
  .describe("last seen sequence, exclusive; without it from the first event that is kept")
const raw = {
  include_raw: flag.optional().describe("also return the native line of each event"),
  includeRaw: flag.optional().describe("same as include_raw"),
}
const postErrors = [
  "unsupported_agent",
  "session_not_found",
  "conflict",
  "payload_too_large",
  "too_many_requests",
  "not_supported",
  "unavailable",
] as const

export const messageRoutes = {
  postMessage: route({
    id: "postMessage",
    method: "POST",
    path: "/v1/sessions/{id}/messages",
    tag: "messages",
    summary: "Send a message",
    description:
      "Waits in the queue behind the running turn. `delivery: steer` goes into the running turn where the agent can (else 501, nothing queued). The same `messageId` again answers as the first time.",
    params: sessionParams,
    body: PostMessageSchema,
    bodyRequired: true,
    answer: "json",
    status: 202,
    errors: postErrors,
    cli: ["sessions", "send-message"],
    cliArgument: "message",
  }),
  streamMessage: route({
    id: "streamMessage",
    method: "POST",
    path: "/v1/sessions/{id}/messages/stream",
    tag: "messages",
    summary: "Send a message and stream the turn that takes it",
    description:
      "Ends after the `turn.ended` that lists the message, or after its withdrawal or failure. The same `messageId` again streams the same turn, from its beginning; one whose end is no longer kept is `gone`.",
    params: sessionParams,
    query: raw,
    body: PostMessageSchema,
    bodyRequired: true,
    answer: "sse",
    status: 200,
    errors: [...postErrors, "gone"],
    cli: ["sessions", "stream-message"],
    cliArgument: "message",
  }),
  withdrawMessage: route({
    id: "withdrawMessage",
    method: "DELETE",
    path: "/v1/sessions/{id}/messages/{messageId}",
    tag: "messages",
    summary: "Withdraw a queued message",
    description: "Only while it waits: one that the agent has, or that was withdrawn before, is refused (`conflict`).",
    params: { ...sessionParams, messageId: MessageIdSchema.describe("id of the message") },
    answer: "json",
    status: 200,
    errors: ["session_not_found", "not_found", "conflict", "unavailable"],
    cli: ["sessions", "withdraw-message"],
  }),
  getEvents: route({
    id: "getEvents",
    method: "GET",
    path: "/v1/sessions/{id}/events",
    tag: "events",
    summary: "Events after a sequence",
    description:
      "Ascending. A page may end sooner than `limit`, when it is large; `hasMore` says so. An offset beyond the end is `invalid_request` with `lastSequence`, one below what retention has kept `gone` with `firstSequence`.",
    params: sessionParams,
    query: {
      offset,
      limit: integer(1, limits.eventsPage).optional().describe(`events of a page; default ${limits.eventsPageDefault}`),
      ...raw,
    },
    answer: "json",
    status: 200,
    errors: ["session_not_found", "gone", "unavailable"],
    cli: ["sessions", "get-events"],
  }),
  streamEvents: route({
    id: "streamEvents",
    method: "GET",
    path: "/v1/sessions/{id}/events/sse",
    tag: "events",
    summary: "Replay, then live, on one stream",
    description:
      "SSE `id` is the sequence; `Last-Event-ID` wins over `offset`; a comment every 15 s keeps the connection.",
    params: sessionParams,
    query: { offset, ...raw },
    answer: "sse",
    status: 200,
    errors: ["session_not_found", "gone", "too_many_requests"],
    cli: ["sessions", "stream-events"],
  }),
}

/** Every bound of the client. Each can be set with the option `limits`. */
export interface Limits {
  /** Characters of one message, in a body or in an event of a stream. */
  messageChars: number
  /** Characters kept of the body of a refused request. */
  errorBodyChars: number
  /** Messages a reader of updates may be behind before its stream is left unread. */
  queuedUpdates: number
  /** The same in characters. */
  queuedUpdateChars: number
  /** A full reader that takes nothing for so long ends with `overflow`, so that the answers behind its updates arrive. */
  readerStallMs: number
  /** An answer waits so long, after the last update that a reader took, for it to take those that came before the answer. */
  readersBehindMs: number
  /** Requests of the agent that are being handled at once; more are refused. */
  openAgentRequests: number
  /** Requests of the agent remembered, so that none is handled twice. */
  rememberedAgentRequests: number
  /** Events remembered per stream, so that none is delivered twice. */
  rememberedEvents: number
  /** The same in characters; larger events are not remembered. */
  rememberedEventChars: number
  /** Until the answer to `initialize`: an agent may be installed and started meanwhile. */
  initializeMs: number
  /** Until a message is accepted. A headerless server may hold a request until its turn ends, so there this does not count for requests. */
  acceptMs: number
  /** For a request that is held: without an answer and without a message on the stream. */
  heldMs: number
  /** Until a stream opens. */
  openMs: number
  /** Messages wait so long for their stream to open. Then they go all the same: some proxies show nothing before the first event. */
  readyMs: number
  /** Until `close` is acknowledged. */
  closeMs: number
  /** Without a byte on a stream that has shown keep-alives. */
  stallMs: number
  /** Without a byte on a stream that has never shown one. */
  silenceMs: number
  /** After a break that may have swallowed an answer: silence of the stream after which its requests fail with `answer_lost`. */
  lostAnswerMs: number
  /** Failed attempts in a row until a stream is given up. Counted, not timed: a sleeping tab makes none. */
  reconnectAttempts: number
  /** First and longest pause between attempts. */
  reconnectMinMs: number
  reconnectMaxMs: number
  /** Attempts to deliver an answer to the agent. */
  answerAttempts: number
}

export const defaultLimits: Readonly<Limits> = {
  messageChars: 32 * 1024 * 1024,
  errorBodyChars: 8 * 1024,
  queuedUpdates: 1024,
  queuedUpdateChars: 8 * 1024 * 1024,
  readerStallMs: 30_000,
  readersBehindMs: 1_000,
  openAgentRequests: 256,
  rememberedAgentRequests: 512,
  rememberedEvents: 256,
  rememberedEventChars: 64 * 1024,
  initializeMs: 300_000,
  acceptMs: 120_000,
  heldMs: 300_000,
  openMs: 30_000,
  readyMs: 2_000,
  closeMs: 10_000,
  stallMs: 60_000,
  silenceMs: 300_000,
  lostAnswerMs: 120_000,
  reconnectAttempts: 10,
  reconnectMinMs: 200,
  reconnectMaxMs: 15_000,
  answerAttempts: 8,
}

/** Of an event id that is sent back in a header; longer ones are not used. */
export const maxEventIdChars = 1024
/** Of cookies a server may set. */
export const maxCookies = 50
export const maxCookieChars = 4096
/** Sessions that requests of the agent are remembered to belong to, until they are answered. */
export const maxRoutes = 4096

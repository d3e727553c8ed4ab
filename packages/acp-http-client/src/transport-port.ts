import type { Envelope } from "./envelope.ts"
import type { AcpError } from "./errors.ts"

/** Where a message came from. */
export interface Origin {
  /** Of the stream it came on; none: the connection's own, or the body of an answer. */
  sessionId?: string
  /** As it was on the wire. */
  text: string
}

export interface StreamState {
  /** None: the connection's own stream. */
  sessionId?: string
  state: "open" | "reconnecting" | "lost"
  /** Failed attempts in a row. */
  attempt: number
  delayMs?: number
  error?: AcpError
}

export interface TransportOwner {
  /** Reading waits for a promise. */
  message(envelope: Envelope, origin: Origin): void | Promise<void>
  /** Whether a request of ours waits for an answer with this id. */
  awaits(key: string): boolean
  /** The stream broke; `safe`: what was on its way is sent again. */
  broke(sessionId: string | undefined, safe: boolean): void
  state(state: StreamState): void
  /** Given up; without a session the whole connection is. */
  lost(error: AcpError, sessionId: string | undefined): void
  /** What no promise can tell. */
  problem(error: AcpError): void
}

export interface Posting {
  signal: AbortSignal
  /** Of an answer: the session on whose stream its request came, where that is known. */
  route?: string
  /** Called right before the bytes leave: from here on the agent may know. */
  sending?(): void
  /** The server holds the request and shows that it lives. */
  alive?(): void
  /** Accepted, but the body broke before the answer: it may still come on the stream. */
  broke?(): void
}

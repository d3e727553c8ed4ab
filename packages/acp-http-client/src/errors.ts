export type AcpErrorKind =
  /** The agent answered with an error. */
  | "rpc"
  /** The server refused with a status. */
  | "http"
  /** No connection, or it broke before the message was accepted. The agent may have received the message all the same. */
  | "network"
  /** The server did not accept the message, or did not open a stream, in time. */
  | "timeout"
  /** What came is not the protocol: not JSON, not JSON-RPC, wrong content type. */
  | "protocol"
  /** A message is larger than `limits.messageChars`. */
  | "too_large"
  /** The caller's signal. */
  | "aborted"
  /** The client was closed. */
  | "closed"
  /** The stream cannot be had back: attempts used up, or the server no longer knows the connection. */
  | "lost"
  /** A stream without ids broke while the request was open, and nothing has come since. Load the session to learn its state. */
  | "answer_lost"
  /** A reader of updates fell too far behind. */
  | "overflow"
  /** Used before `initialize`, or initialized twice. */
  | "state"
  /** An option that no request can be made with. */
  | "argument"

/** Every error of this package. `kind` says which, also across two copies of it. */
export class AcpError extends Error {
  override name = "AcpError"
  readonly kind: AcpErrorKind

  constructor(kind: AcpErrorKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.kind = kind
  }
}

/** The agent's answer was an error. A handler may throw one to answer so. */
export class AcpRpcError extends AcpError {
  override name = "AcpRpcError"
  readonly code: number
  readonly data?: unknown

  constructor(code: number, message: string, data?: unknown) {
    super("rpc", message)
    this.code = code
    this.data = data
  }
}

/** The server's status was not 2xx. */
export class AcpHttpError extends AcpError {
  override name = "AcpHttpError"
  readonly status: number
  /** Its beginning. */
  readonly body: string
  /** From `Retry-After`. */
  readonly retryAfterMs?: number

  constructor(what: string, status: number, body: string, retryAfterMs?: number) {
    super("http", `${what}: ${status}${body === "" ? "" : ` ${body.slice(0, 300)}`}`)
    this.status = status
    this.body = body
    this.retryAfterMs = retryAfterMs
  }
}

export const isAcpError = (error: unknown): error is AcpError => error instanceof AcpError

/** What a caller's signal makes of a call; `name` is what `fetch` would say. */
export function abortError(signal: AbortSignal): AcpError {
  const error = new AcpError("aborted", "Aborted by the caller", signal.reason)
  error.name = "AbortError"
  return error
}

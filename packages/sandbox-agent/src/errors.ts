import type { ErrorCode, Problem, TurnFailure } from "./types.ts"

export type ErrorKind =
  /** The daemon, or something in front of it, refused with a status. */
  | "problem"
  /** No connection, or it broke. What was sent may have arrived all the same. */
  | "network"
  /** No answer in time. */
  | "timeout"
  /** Your signal, or you closed what it belonged to. */
  | "aborted"
  /** What came is not what the daemon says. */
  | "protocol"
  /** An argument that no request can be made of. */
  | "argument"
  /** A session call without a connection. */
  | "not_connected"
  | "already_connected"
  /** The agent, or the daemon for it, answered a session call with an error. */
  | "session"
  /** A message did not reach the agent. */
  | "message"
  /** A turn ended with an error. */
  | "turn"
  /** No daemon could be started. */
  | "spawn"
  /** A store of sessions refused. */
  | "store"
  /** A provider gave no sandbox, or none with a daemon that answers. */
  | "sandbox"

const marker = Symbol.for("sandbox-agent.error")

/** Every promise of this package rejects with one of these. `isSandboxAgentError` also knows those of another copy of the package. */
export class SandboxAgentError extends Error {
  readonly kind: ErrorKind
  /** @internal */
  readonly [marker] = true

  constructor(kind: ErrorKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = "SandboxAgentError"
    this.kind = kind
  }
}

export const isSandboxAgentError = (error: unknown): error is SandboxAgentError =>
  typeof error === "object" && error !== null && marker in error

/** A status that is not 2xx. `problem` is what the daemon said, whole; something in front of it may say anything else. */
export class ProblemError extends SandboxAgentError {
  readonly status: number
  readonly problem: Problem | undefined
  /** The body, cut, when it is no problem of the daemon. */
  readonly body: string
  readonly retryAfterMs: number | undefined

  constructor(what: string, status: number, body: string, problem?: Problem, retryAfterMs?: number) {
    const said = problem === undefined ? body.slice(0, 300) : problem.detail || problem.title
    super("problem", `${what}: ${status}${said === "" ? "" : ` ${said}`}${problem?.hint ? ` (${problem.hint})` : ""}`)
    this.name = "ProblemError"
    this.status = status
    this.problem = problem
    this.body = problem === undefined ? body : ""
    this.retryAfterMs = retryAfterMs
  }

  /** From the closed list of the API; undefined when it was not the daemon that refused. */
  get code(): ErrorCode | undefined {
    return this.problem?.type.split(":").at(-1) as ErrorCode | undefined
  }
}

/** Session calls need `connect()`; while it runs they wait for it. */
export class NotConnectedError extends SandboxAgentError {
  constructor(message = "Not connected: call connect() first", cause?: unknown) {
    super("not_connected", message, cause)
    this.name = "NotConnectedError"
  }
}

export class AlreadyConnectedError extends SandboxAgentError {
  constructor() {
    super("already_connected", "Already connected: one client has one connection; call disconnect() first")
    this.name = "AlreadyConnectedError"
  }
}

/** The agent, or the daemon for it, answered a session call with an error: `code` is of the API's list, or the agent's own. */
export class SessionCallError extends SandboxAgentError {
  readonly code: string | undefined
  readonly details: Readonly<Record<string, unknown>>

  constructor(message: string, code: string | undefined, details: Record<string, unknown>, cause?: unknown) {
    super("session", message, cause)
    this.name = "SessionCallError"
    this.code = code
    this.details = details
  }
}

/** The message did not reach the agent: it failed on the way, or was withdrawn (`code: "withdrawn"`). */
export class MessageError extends SandboxAgentError {
  readonly code: string
  readonly messageId: string

  constructor(messageId: string, code: string, message: string) {
    super("message", message)
    this.name = "MessageError"
    this.code = code
    this.messageId = messageId
  }
}

/** A turn ended with an error: `failure` is what its event says. */
export class TurnError extends SandboxAgentError {
  readonly code: string
  readonly turnId: string
  readonly failure: TurnFailure

  constructor(turnId: string, failure: TurnFailure) {
    super("turn", failure.message)
    this.name = "TurnError"
    this.code = failure.code
    this.turnId = turnId
    this.failure = failure
  }
}

/** A store of sessions refused: the lease is another's now, events are missing in between, or there is no such session. */
export class StoreError extends SandboxAgentError {
  readonly code: "lease_lost" | "gap" | "session_not_found" | "version"

  constructor(code: StoreError["code"], message: string) {
    super("store", message)
    this.name = "StoreError"
    this.code = code
  }
}

export type SandboxErrorCode =
  /** The provider's package or program is not on this machine. */
  | "not_installed"
  /** The provider takes no such key. */
  | "unauthorized"
  /** No such sandbox, image or template. */
  | "not_found"
  /** The provider refused, or something it was asked to do failed. */
  | "provider"
  /** The sandbox has no daemon, and none could be put into it. */
  | "daemon_missing"
  /** The daemon did not answer in time, or ended. */
  | "not_ready"

/** A provider gave no sandbox with a daemon. What it had begun was removed, unless `leftBehind` names it. */
export class SandboxError extends SandboxAgentError {
  readonly code: SandboxErrorCode
  readonly provider: string
  /** The sandbox that could not be removed. */
  readonly leftBehind: string | undefined

  constructor(provider: string, code: SandboxErrorCode, message: string, cause?: unknown, leftBehind?: string) {
    super("sandbox", `${provider}: ${message}`, cause)
    this.name = "SandboxError"
    this.code = code
    this.provider = provider
    this.leftBehind = leftBehind
  }
}

/** A terminal could not be opened by a WebSocket that sends no headers, as those of browsers, and something in front of the daemon has them with other requests. */
export class HeadersNotSentError extends SandboxAgentError {
  readonly headers: readonly string[]

  constructor(what: string, headers: readonly string[]) {
    const names = headers.join(", ")
    super("network", `${what}; a WebSocket of this runtime cannot send ${names}, which requests have`)
    this.name = "HeadersNotSentError"
    this.headers = headers
  }
}

/** The caller's signal ended a call; `name` is what `fetch` would say. */
export function abortedError(what: string, signal: AbortSignal): SandboxAgentError {
  const error = new SandboxAgentError("aborted", `${what}: aborted`, signal.reason)
  error.name = "AbortError"
  return error
}

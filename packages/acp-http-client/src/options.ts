import type { Envelope, NotificationEnvelope } from "./envelope.ts"
import type { AcpError } from "./errors.ts"
import type { HeaderSource } from "./headers.ts"
import type { Fetch } from "./http.ts"
import type { Limits } from "./limits.ts"
import type { Handlers } from "./methods.ts"
import type { StreamState } from "./transport-port.ts"

export interface AcpHttpClientOptions {
  /** The one endpoint of the server, such as `https://host/acp`. */
  url: string | URL
  /** Sent with every request; a function is asked before each, for tokens that change. */
  headers?: HeaderSource | (() => HeaderSource | Promise<HeaderSource>)
  /** As in `fetch`. Where there is no browser to keep cookies, the client keeps those of its server; `omit` turns that off. */
  credentials?: "omit" | "same-origin" | "include"
  fetch?: Fetch
  /** `auto`: official when the server gives a connection id, else headerless. `headerless`: one stream for all sessions in any case. */
  transport?: "auto" | "headerless"
  /** Answers to what the agent asks. `manual`: nobody answers but you, with `send`. */
  handlers?: Handlers | "manual"
  /** Every message, as it is sent and as it comes. */
  onEnvelope?: (envelope: Envelope, direction: "inbound" | "outbound") => void
  /** Every notification of the agent, `session/update` and extensions included. */
  onNotification?: (notification: NotificationEnvelope) => void
  /** Opened, broken and lost streams, for a status line. */
  onStream?: (state: StreamState) => void
  /** What no promise can tell: bad messages, answers that could not be delivered, handlers that threw. Default: `console.error`. */
  onError?: (error: AcpError) => void
  /** Closes the client. */
  signal?: AbortSignal
  limits?: Partial<Limits>
}

export interface CallOptions {
  /** Rejects at once, and tells the agent: a prompt with `session/cancel`, other requests with `$/cancel_request`. */
  signal?: AbortSignal
}

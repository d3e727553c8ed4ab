/** The public surface of the package; adding a name here is a decision. */
export { AcpHttpClient } from "./client.ts"
export type {
  Envelope,
  EnvelopeId,
  NotificationEnvelope,
  RequestEnvelope,
  ResponseEnvelope,
  RpcErrorObject,
} from "./envelope.ts"
export { AcpError, type AcpErrorKind, AcpHttpError, AcpRpcError } from "./errors.ts"
/** For clients that take headers as this one does. */
export { type HeaderSource, headersOf } from "./headers.ts"
export type { Fetch } from "./http.ts"
export { defaultLimits, type Limits } from "./limits.ts"
export type {
  AgentMethod,
  AgentMethods,
  ClientMethod,
  ClientMethods,
  Handler,
  HandlerContext,
  Handlers,
} from "./methods.ts"
export type { AcpHttpClientOptions, CallOptions } from "./options.ts"
/** For clients that wait between attempts as this one does. */
export { backOff, pause } from "./pause.ts"
export type * from "./protocol.ts"
export { type ServerEvent, SseParser } from "./sse.ts"
/** For clients whose callers name times as those of this one do. */
export { intervalOf, timerOf } from "./timer.ts"
export type { StreamState } from "./transport-port.ts"

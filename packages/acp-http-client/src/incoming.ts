import {
  idKey,
  isObject,
  type RequestEnvelope,
  type ResponseEnvelope,
  type RpcErrorObject,
  rpcCodes,
  sessionOf,
} from "./envelope.ts"
import { AcpError, AcpHttpError, AcpRpcError, isAcpError } from "./errors.ts"
import type { Limits } from "./limits.ts"
import type { Handler, Handlers } from "./methods.ts"
import { backOff, pause } from "./pause.ts"
import type { Origin, Posting } from "./transport-port.ts"

type Outcome = { result: unknown } | { error: RpcErrorObject }

interface Incoming {
  readonly request: RequestEnvelope
  readonly sessionId?: string
  /** Of the stream it came on: its answer has to name it. */
  readonly route?: string
  /** Of its text: the same request sent again is known by it. */
  readonly print: string
  readonly controller: AbortController
  outcome?: Outcome
}

export interface IncomingPort {
  post(answer: ResponseEnvelope, posting: Pick<Posting, "signal" | "route">): Promise<unknown>
  problem(error: AcpError): void
}

/** Requests of the agent: each is handled once and answered, however often it is sent. */
export class IncomingRequests {
  readonly #port: IncomingPort
  readonly #limits: Limits
  readonly #handlers: Handlers
  readonly #known = new Map<string, Incoming>()
  readonly #closing = new AbortController()
  #handling = 0

  constructor(port: IncomingPort, limits: Limits, handlers: Handlers) {
    this.#port = port
    this.#limits = limits
    this.#handlers = handlers
  }

  take(request: RequestEnvelope, { text, sessionId: route }: Origin): void {
    const key = idKey(request.id)
    const print = fingerprint(text)
    const known = this.#known.get(key)
    if (known !== undefined && known.print === print) {
      // Sent again after it was answered: the answer did not arrive, or another stream brought it.
      if (known.outcome !== undefined) this.#deliver(known, known.outcome)
      return
    }
    const controller = new AbortController()
    const incoming: Incoming = { request, sessionId: sessionOf(request), route, print, controller }
    this.#remember(key, incoming)
    const handler = this.#handlerOf(request.method)
    const data = { method: request.method }
    if (handler === undefined)
      return this.#settle(incoming, rpcError(rpcCodes.methodNotFound, `Method not found: ${request.method}`, data))
    if (this.#handling >= this.#limits.openAgentRequests)
      return this.#settle(incoming, rpcError(rpcCodes.internal, "Too many requests are open", data))
    void this.#handle(incoming, handler)
  }

  /** The agent no longer wants an answer; it gets one all the same, as the protocol asks. */
  withdraw(params: unknown): void {
    const id = isObject(params) ? params.requestId : undefined
    if (typeof id !== "string" && typeof id !== "number") return
    const incoming = this.#known.get(idKey(id))
    if (incoming === undefined || incoming.outcome !== undefined) return
    incoming.controller.abort()
    this.#settle(incoming, rpcError(rpcCodes.cancelled, "Request cancelled"))
  }

  /** The client cancels a turn: the protocol wants its open permissions answered so. */
  cancelSession(sessionId: string): void {
    for (const incoming of this.#known.values()) {
      if (incoming.sessionId !== sessionId || incoming.outcome !== undefined) continue
      incoming.controller.abort()
      if (incoming.request.method === "session/request_permission")
        this.#settle(incoming, { result: { outcome: { outcome: "cancelled" } } })
    }
  }

  close(): void {
    this.#closing.abort()
    for (const { controller } of this.#known.values()) controller.abort()
    this.#known.clear()
  }

  #handlerOf(method: string): Handler<unknown, unknown> | undefined {
    const handlers: Record<string, unknown> = this.#handlers
    const named = Object.hasOwn(handlers, method) ? handlers[method] : undefined
    const handler = named ?? handlers["*"]
    return typeof handler === "function" ? (handler as Handler<unknown, unknown>) : undefined
  }

  async #handle(incoming: Incoming, handler: Handler<unknown, unknown>): Promise<void> {
    const { request, controller } = incoming
    this.#handling++
    try {
      const result = await handler(request.params, { method: request.method, signal: controller.signal })
      this.#settle(incoming, { result: result ?? {} })
    } catch (error) {
      this.#settle(incoming, this.#errorOf(error, incoming))
    } finally {
      this.#handling--
    }
  }

  #errorOf(error: unknown, { controller, request }: Incoming): Outcome {
    if (error instanceof AcpRpcError) return rpcError(error.code, error.message, error.data)
    if (controller.signal.aborted) return rpcError(rpcCodes.cancelled, "Request cancelled")
    const message = error instanceof Error ? error.message : String(error)
    this.#port.problem(new AcpError("protocol", `The handler of ${request.method} failed: ${message}`, error))
    return rpcError(rpcCodes.internal, message)
  }

  #settle(incoming: Incoming, outcome: Outcome): void {
    if (incoming.outcome !== undefined || this.#closing.signal.aborted) return
    incoming.outcome = outcome
    this.#deliver(incoming, outcome)
  }

  #deliver({ request, route }: Incoming, outcome: Outcome): void {
    void this.#post({ jsonrpc: "2.0", id: request.id, ...outcome }, route)
  }

  /** An agent waits for it: it is worth trying more than once, and answering twice does no harm. */
  async #post(answer: ResponseEnvelope, route: string | undefined): Promise<void> {
    const { signal } = this.#closing
    for (let attempt = 0; !signal.aborted; attempt++) {
      try {
        await this.#port.post(answer, { signal, route })
        return
      } catch (error) {
        if (signal.aborted) return
        const final = attempt + 1 >= this.#limits.answerAttempts || !mayPass(error)
        if (final)
          return this.#port.problem(isAcpError(error) ? error : new AcpError("network", "Answering failed", error))
        await pause(backOff(attempt, this.#limits.reconnectMinMs, this.#limits.reconnectMaxMs), signal)
      }
    }
  }

  #remember(key: string, incoming: Incoming): void {
    this.#known.delete(key)
    this.#known.set(key, incoming)
    if (this.#known.size <= this.#limits.rememberedAgentRequests) return
    for (const [oldest, { outcome }] of this.#known) {
      if (outcome === undefined) continue
      this.#known.delete(oldest)
      return
    }
  }
}

const rpcError = (code: number, message: string, data?: unknown): Outcome => ({ error: { code, message, data } })

function mayPass(error: unknown): boolean {
  if (error instanceof AcpHttpError) return error.status >= 500 || [408, 425, 429].includes(error.status)
  return isAcpError(error) && (error.kind === "network" || error.kind === "timeout")
}

/** Length and two 32-bit hashes (FNV-1a, forwards and with another start): not for secrets, only to tell requests apart. */
function fingerprint(text: string): string {
  let one = 0x811c9dc5
  let two = 0x01000193
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    one = Math.imul(one ^ code, 0x01000193)
    two = Math.imul(two ^ code, 0x85ebca6b)
  }
  return `${text.length}:${one >>> 0}:${two >>> 0}`
}

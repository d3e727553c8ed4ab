import { Calls, type OpenCall } from "./calls.ts"
import {
  type Envelope,
  idKey,
  isEnvelope,
  isObject,
  isRequest,
  isResponse,
  type NotificationEnvelope,
  sessionOf,
} from "./envelope.ts"
import { AcpError, abortError, isAcpError } from "./errors.ts"
import { IncomingRequests } from "./incoming.ts"
import { defaultLimits, type Limits } from "./limits.ts"
import { type AgentMethod, type AgentMethods, attaching, detaching } from "./methods.ts"
import type { AcpHttpClientOptions, CallOptions } from "./options.ts"
import type * as acp from "./protocol.ts"
import { HttpTransport } from "./transport.ts"
import type { Origin, Posting } from "./transport-port.ts"
import { Updates } from "./updates.ts"

type Params<Method extends AgentMethod> = AgentMethods[Method][0]
type Result<Method extends AgentMethod> = Promise<AgentMethods[Method][1]>
/** Extensions begin with an underscore; some agents forget it. */
type ExtParams = Record<string, unknown>

/** A client of one ACP server. Nothing is sent before `initialize`. */
export class AcpHttpClient {
  /** Settles when the connection is over: with the error that ended it, or nothing after `close`. */
  readonly closed: Promise<AcpError | undefined>
  readonly #options: AcpHttpClientOptions
  readonly #limits: Limits
  readonly #transport: HttpTransport
  readonly #calls: Calls
  readonly #incoming: IncomingRequests | undefined
  readonly #updates: Updates
  readonly #sending = new AbortController()
  #over: AcpError | undefined
  #closing: Promise<void> | undefined
  #end: (error: AcpError | undefined) => void = () => undefined

  constructor(options: AcpHttpClientOptions) {
    this.#options = options
    this.#limits = { ...defaultLimits, ...options.limits }
    this.closed = new Promise((resolve) => {
      this.#end = resolve
    })
    const { url, fetch, headers, credentials, handlers = {} } = options
    this.#transport = new HttpTransport(
      { url: String(url), fetch, headers, credentials },
      this.#limits,
      {
        message: (envelope, origin) => this.#receive(envelope, origin),
        awaits: (key) => this.#calls.has(key),
        broke: (sessionId, safe) => {
          if (!safe) this.#calls.doubt(sessionId)
        },
        state: (state) => {
          if (state.state === "open") this.#calls.reopened(state.sessionId)
          this.#observe(() => this.#options.onStream?.(state))
        },
        lost: (error, sessionId) => this.#lost(error, sessionId),
        problem: (error) => this.#problem(error),
      },
      options.transport === "headerless",
    )
    this.#updates = new Updates(this.#limits)
    this.#calls = new Calls(this.#callPort(), this.#limits)
    if (handlers !== "manual") {
      const post = (answer: Envelope, posting: Posting) => this.#post(answer, posting)
      this.#incoming = new IncomingRequests({ post, problem: (error) => this.#problem(error) }, this.#limits, handlers)
    }
    this.#closeWith(options.signal)
  }

  initialize(params: Partial<acp.InitializeRequest> = {}, options?: CallOptions): Result<"initialize"> {
    return this.request("initialize", { protocolVersion: 1, ...params }, options)
  }
  authenticate(params: acp.AuthenticateRequest, options?: CallOptions): Result<"authenticate"> {
    return this.request("authenticate", params, options)
  }
  logout(params: acp.LogoutRequest = {}, options?: CallOptions): Result<"logout"> {
    return this.request("logout", params, options)
  }
  newSession(params: acp.NewSessionRequest, options?: CallOptions): Result<"session/new"> {
    return this.request("session/new", params, options)
  }
  /** The history comes as updates, before the result: read them from before the call. */
  loadSession(params: acp.LoadSessionRequest, options?: CallOptions): Result<"session/load"> {
    return this.request("session/load", params, options)
  }
  resumeSession(params: acp.ResumeSessionRequest, options?: CallOptions): Result<"session/resume"> {
    return this.request("session/resume", params, options)
  }
  /** Not stable in the protocol yet. */
  forkSession(params: acp.ForkSessionRequest, options?: CallOptions): Result<"session/fork"> {
    return this.request("session/fork", params, options)
  }
  listSessions(params: acp.ListSessionsRequest = {}, options?: CallOptions): Result<"session/list"> {
    return this.request("session/list", params, options)
  }
  /** Ends the session's stream and its readers of updates. */
  closeSession(params: acp.CloseSessionRequest, options?: CallOptions): Result<"session/close"> {
    return this.request("session/close", params, options)
  }
  /** Ends the session's stream and its readers of updates. */
  deleteSession(params: acp.DeleteSessionRequest, options?: CallOptions): Result<"session/delete"> {
    return this.request("session/delete", params, options)
  }
  setSessionMode(params: acp.SetSessionModeRequest, options?: CallOptions): Result<"session/set_mode"> {
    return this.request("session/set_mode", params, options)
  }
  setSessionConfigOption(
    params: acp.SetSessionConfigOptionRequest,
    options?: CallOptions,
  ): Result<"session/set_config_option"> {
    return this.request("session/set_config_option", params, options)
  }
  setSessionModel(params: Params<"session/set_model">, options?: CallOptions): Result<"session/set_model"> {
    return this.request("session/set_model", params, options)
  }
  /** Resolves when the turn has ended, and whoever reads `updates` is done with those of the turn. */
  prompt(params: acp.PromptRequest, options?: CallOptions): Result<"session/prompt"> {
    return this.request("session/prompt", params, options)
  }

  /** Asks the agent to stop. The prompt still resolves, with `cancelled`; open permissions are answered `cancelled`. */
  async cancel(params: acp.CancelNotification): Promise<void> {
    await this.notify("session/cancel", params)
    this.#incoming?.cancelSession(params.sessionId)
  }

  /** Any request, typed when the method is the protocol's. */
  request<Method extends AgentMethod>(method: Method, params: Params<Method>, options?: CallOptions): Result<Method>
  request(method: string, params?: unknown, options?: CallOptions): Promise<unknown>
  request(method: string, params?: unknown, options: CallOptions = {}): Promise<unknown> {
    if (this.#over !== undefined) return Promise.reject(this.#over)
    const named = isObject(params) && typeof params.sessionId === "string" ? params.sessionId : undefined
    return this.#calls.start(method, params, named, options.signal)
  }

  /** Resolves when the server has accepted it. */
  async notify(method: string, params?: unknown, options: CallOptions = {}): Promise<void> {
    await this.send({ jsonrpc: "2.0", method, params }, options)
  }

  extMethod(method: string, params: ExtParams = {}, options?: CallOptions): Promise<unknown> {
    return this.request(method, params, options)
  }

  extNotification(method: string, params: ExtParams = {}, options?: CallOptions): Promise<void> {
    return this.notify(method, params, options)
  }

  /** Any message as it is. Resolves when the server has accepted it; an answer comes to `onEnvelope`. */
  async send(envelope: Envelope, { signal }: CallOptions = {}): Promise<void> {
    if (this.#over !== undefined) throw this.#over
    if (!isEnvelope(envelope)) throw new AcpError("protocol", "Not a JSON-RPC message")
    if (isRequest(envelope) && this.#calls.has(idKey(envelope.id)))
      throw new AcpError("protocol", `The id ${envelope.id} is in use`)
    if (signal?.aborted) throw abortError(signal)
    const posting = new AbortController()
    const onAbort = () => posting.abort(signal?.reason)
    signal?.addEventListener("abort", onAbort)
    this.#sending.signal.addEventListener("abort", onAbort)
    try {
      await this.#post(envelope, { signal: posting.signal })
    } catch (error) {
      throw this.#over ?? (signal?.aborted ? abortError(signal) : error)
    } finally {
      signal?.removeEventListener("abort", onAbort)
      this.#sending.signal.removeEventListener("abort", onAbort)
    }
  }

  /**
   * Updates of one session, or of all, from this call on. Reading slower than they come slows the stream down; not reading at all ends
   * with `overflow`, so begin to read before you await a prompt.
   */
  updates(sessionId?: string, { signal }: CallOptions = {}): AsyncIterableIterator<acp.SessionNotification, undefined> {
    return this.#updates.reader(sessionId, signal)
  }

  /** Ends the connection: what is open rejects with `closed`, readers end. Rejects when the server could not be told. */
  close(): Promise<void> {
    this.#closing ??= this.#finish(undefined)
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #callPort() {
    return {
      official: () => this.#transport.official,
      post: (envelope: Envelope, posting: Posting) => this.#post(envelope, posting),
      withdraw: (call: OpenCall) => this.#withdraw(call),
      begin: () => this.#updates.begin(),
      behind: ({ sessionId, since }: OpenCall) =>
        sessionId === undefined ? undefined : this.#updates.behind(sessionId, since),
      succeeded: ({ method, sessionId }: OpenCall) => {
        if (sessionId === undefined) return
        if (attaching.has(method)) this.#transport.attach(sessionId)
        if (!detaching.has(method)) return
        this.#transport.endSession(sessionId)
        this.#updates.endSession(sessionId)
      },
    }
  }

  async #post(envelope: Envelope, posting: Posting) {
    const answer = await this.#transport.post(envelope, {
      ...posting,
      sending: () => {
        posting.sending?.()
        this.#observe(() => this.#options.onEnvelope?.(envelope, "outbound"))
      },
    })
    if (answer !== undefined) this.#observe(() => this.#options.onEnvelope?.(answer, "inbound"))
    return answer
  }

  #receive(envelope: Envelope, origin: Origin): void | Promise<void> {
    this.#calls.heard(origin.sessionId)
    if (this.#options.onEnvelope !== undefined) this.#observe(() => this.#options.onEnvelope?.(envelope, "inbound"))
    if (isResponse(envelope)) return this.#calls.answer(envelope)
    if (isRequest(envelope)) return this.#incoming?.take(envelope, origin)
    return this.#notified(envelope, origin.text)
  }

  #notified(notification: NotificationEnvelope, text: string): void | Promise<void> {
    if (notification.method === "$/cancel_request") this.#incoming?.withdraw(notification.params)
    if (this.#options.onNotification !== undefined) this.#observe(() => this.#options.onNotification?.(notification))
    if (notification.method !== "session/update") return
    if (sessionOf(notification) === undefined)
      return this.#problem(new AcpError("protocol", "An update without a session"))
    return this.#updates.deliver(notification.params as acp.SessionNotification, text.length)
  }

  #withdraw({ id, method, sessionId }: OpenCall): void {
    const notified =
      method === "session/prompt" && sessionId !== undefined
        ? this.cancel({ sessionId })
        : this.notify("$/cancel_request", { requestId: id })
    notified.catch((error) => {
      if (this.#over === undefined) this.#problem(error)
    })
  }

  #lost(error: AcpError, sessionId: string | undefined): void {
    if (sessionId === undefined) {
      const notified = this.#finish(error)
      // The connection is given up because of `error`; that the server cannot be told is no more news.
      notified.catch(() => undefined)
      return
    }
    this.#calls.failSession(sessionId, error)
    this.#updates.endSession(sessionId, error)
  }

  #finish(error: AcpError | undefined): Promise<void> {
    if (this.#over !== undefined) return Promise.resolve()
    this.#over = error ?? new AcpError("closed", "The client is closed")
    this.#calls.failAll(this.#over)
    this.#incoming?.close()
    this.#updates.end(error)
    this.#sending.abort(this.#over)
    this.#end(error)
    return this.#transport.close()
  }

  #closeWith(signal: AbortSignal | undefined): void {
    if (signal === undefined) return
    const close = () => {
      this.close().catch((error) => this.#problem(error))
    }
    if (signal.aborted) return close()
    signal.addEventListener("abort", close)
    void this.closed.then(() => signal.removeEventListener("abort", close))
  }

  /** What a listener throws is the listener's: it must not end a stream. */
  #observe(listener: () => void): void {
    try {
      listener()
    } catch (error) {
      this.#problem(new AcpError("protocol", `A listener threw: ${String(error)}`, error))
    }
  }

  #problem(error: unknown): void {
    const notified = isAcpError(error) ? error : new AcpError("protocol", String(error), error)
    const { onError = (problem: AcpError) => console.error("acp-http-client:", problem) } = this.#options
    try {
      onError(notified)
    } catch (thrown) {
      console.error("acp-http-client: onError threw", thrown)
    }
  }
}

import {
  type Envelope,
  idKey,
  isBareAnswer,
  isEnvelope,
  isRequest,
  isResponse,
  isRpcError,
  parseJson,
  type ResponseEnvelope,
  sessionOf,
  toJson,
} from "./envelope.ts"
import { AcpError, AcpHttpError, isAcpError } from "./errors.ts"
import { type Answer, discard, Http, type HttpOptions, mediaType } from "./http.ts"
import { type Limits, maxRoutes } from "./limits.ts"
import { attaching, detaching } from "./methods.ts"
import { withSignal } from "./pause.ts"
import type { ServerEvent } from "./sse.ts"
import { EventStream } from "./stream.ts"
import type { Posting, TransportOwner } from "./transport-port.ts"

const main = ""
const connectionHeader = "acp-connection-id"
const sessionHeader = "acp-session-id"

/**
 * ACP over HTTP. With `Acp-Connection-Id` in the answer to `initialize` it is the official transport: a stream for the connection and one
 * per session. Without it is the headerless one: one stream for all, and answers also in bodies.
 */
export class HttpTransport {
  /** Answers on streams have carried ids so far, so a stream that breaks is continued without loss. */
  #answersHaveIds: boolean | undefined
  readonly #http: Http
  readonly #limits: Limits
  readonly #owner: TransportOwner
  readonly #forceHeaderless: boolean
  readonly #streams = new Map<string, EventStream>()
  readonly #routes = new Map<string, string>()
  readonly #turns = new Map<string, Promise<unknown>>()
  #connectionId: string | undefined
  #initialized = false
  /** Of the `initialize` that is on its way. */
  #initializing: AbortSignal | undefined
  #closed = false

  constructor(http: HttpOptions, limits: Limits, owner: TransportOwner, forceHeaderless: boolean) {
    this.#http = new Http(http, limits)
    this.#limits = limits
    this.#owner = owner
    this.#forceHeaderless = forceHeaderless
  }

  get official(): boolean {
    return this.#connectionId !== undefined
  }

  /** Resolves when the server has accepted the message, with the answer where it stood in the body. */
  async post(envelope: Envelope, posting: Posting): Promise<ResponseEnvelope | undefined> {
    if (!this.#initialized) return this.#initialize(envelope, posting)
    if (!isResponse(envelope) && envelope.method === "initialize")
      throw new AcpError("state", "initialize was sent before")
    // At once: the same answer on its way a second time may be accepted meanwhile, and the route forgotten.
    const sessionId = posting.route ?? this.#sessionFor(envelope)
    await this.#mainReady(posting.signal)
    if (!this.official || sessionId === undefined) return this.#send(envelope, sessionId, posting)
    await this.#openSession(sessionId, envelope, posting.signal)
    return this.#inTurn(sessionId, posting.signal, () => this.#send(envelope, sessionId, posting))
  }

  /** Ends every stream, and the connection at the server. */
  async close(): Promise<void> {
    this.#closed = true
    for (const stream of this.#streams.values()) stream.stop()
    this.#streams.clear()
    if (!this.#initialized && this.#connectionId === undefined) return
    await this.#delete(this.#headers())
  }

  async #delete(headers: Record<string, string>): Promise<void> {
    const signal = new AbortController().signal
    try {
      const timeoutMs = this.#limits.closeMs
      const { response, release } = await this.#http.call({
        method: "DELETE",
        headers,
        what: "Closing",
        signal,
        timeoutMs,
      })
      discard(response.body)
      release()
    } catch (error) {
      // Gone already, or a server that has nothing to close.
      if (error instanceof AcpHttpError && [404, 405, 410, 501].includes(error.status)) return
      throw error
    }
  }

  /** The server knows the session from now on: its stream can be had. */
  attach(sessionId: string | undefined): void {
    if (sessionId === undefined || !this.official || !this.#initialized || this.#closed) return
    if (!this.#streams.has(sessionId)) this.#openStream(sessionId)
  }

  /** The session has ended: so does its stream. */
  endSession(sessionId: string): void {
    this.#streams.get(sessionId)?.stop()
    this.#streams.delete(sessionId)
    this.#turns.delete(sessionId)
  }

  async #initialize(envelope: Envelope, posting: Posting): Promise<ResponseEnvelope | undefined> {
    if (!isRequest(envelope) || envelope.method !== "initialize")
      throw new AcpError("state", "initialize has to come first")
    // Two would make two connections, and one of them would never be closed.
    if (this.#initializing?.aborted === false) throw new AcpError("state", "initialize is on its way")
    this.#initializing = posting.signal
    const answer = await this.#send(envelope, undefined, posting).catch((error) => {
      // Made at the server, but we never read who answered: the next attempt makes a new one.
      const made = this.#connectionId
      this.#connectionId = undefined
      if (made !== undefined) this.#delete({ [connectionHeader]: made }).catch(() => undefined)
      if (this.#initializing === posting.signal) this.#initializing = undefined
      throw error
    })
    this.#initializing = undefined
    // Nothing in the body: the answer comes on the stream.
    if (answer === undefined || !isRpcError(answer.error)) {
      this.#initialized = true
      if (!this.#closed) this.#openStream(main)
      else if (this.official) this.#delete(this.#headers()).catch(() => undefined)
    }
    return answer
  }

  async #send(
    envelope: Envelope,
    sessionId: string | undefined,
    posting: Posting,
  ): Promise<ResponseEnvelope | undefined> {
    const { signal } = posting
    const what = isResponse(envelope) ? "Answering" : envelope.method
    const headers = {
      ...this.#headers(this.official ? sessionId : undefined),
      "content-type": "application/json",
      accept: "application/json",
    }
    if (signal.aborted) throw new AcpError("aborted", `${what}: aborted`, signal.reason)
    const body = toJson(envelope, what)
    posting.sending?.()
    // A headerless server may answer in the body when the turn ends: its stream, which is watched, tells whether it lives.
    const held = this.#initialized && !this.official && isRequest(envelope)
    const timeoutMs = !this.#initialized ? this.#limits.initializeMs : held ? undefined : this.#limits.acceptMs
    const answer = await this.#http.call({ method: "POST", headers, body, what, signal, timeoutMs })
    try {
      if (!this.#initialized && !this.#forceHeaderless)
        this.#connectionId = answer.response.headers.get(connectionHeader) ?? undefined
      if (isResponse(envelope)) this.#routes.delete(idKey(envelope.id))
      const found = await this.#answerIn(answer, envelope, what, posting)
      if (found !== undefined) this.attach(sessionOf(found))
      return found
    } finally {
      answer.release()
    }
  }

  async #answerIn(
    body: Answer,
    envelope: Envelope,
    what: string,
    posting: Posting,
  ): Promise<ResponseEnvelope | undefined> {
    const { response } = body
    if (!isRequest(envelope) || response.status === 202 || response.status === 204) {
      discard(response.body)
      return undefined
    }
    let text = ""
    try {
      text = await body.text(this.#limits.messageChars, posting.alive)
    } catch (error) {
      const elsewhere = !this.official && this.#streams.has(main) && isAcpError(error) && error.kind === "network"
      if (!elsewhere) throw error
      posting.broke?.()
    }
    if (text.trim() === "") return undefined
    const found = parseJson(text)
    if ((isEnvelope(found) || isBareAnswer(found)) && isResponse(found) && found.id === envelope.id) return found
    // Officially answers come on streams, and a body says nothing.
    if (this.official && this.#initialized) return undefined
    const type = mediaType(response)
    throw new AcpError(
      "protocol",
      `${what}: answered with ${type}, not with its JSON-RPC response: ${text.slice(0, 300)}`,
    )
  }

  #headers(sessionId?: string): Record<string, string> {
    return {
      ...(this.#connectionId === undefined ? {} : { [connectionHeader]: this.#connectionId }),
      ...(sessionId === undefined ? {} : { [sessionHeader]: sessionId }),
    }
  }

  #sessionFor(envelope: Envelope): string | undefined {
    return isResponse(envelope) ? this.#routes.get(idKey(envelope.id)) : sessionOf(envelope)
  }

  /** Messages of a session arrive in the order they were sent: a cancel must not overtake its prompt. */
  async #inTurn<T>(sessionId: string, signal: AbortSignal, send: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(sessionId)
    const mine = withSignal(before, signal).then(send)
    const settled = mine.then(
      () => undefined,
      () => undefined,
    )
    // Whoever is next waits for all before, also when this one was aborted while it waited.
    const turn = Promise.all([before, settled])
    this.#turns.set(sessionId, turn)
    try {
      return await mine
    } finally {
      if (this.#turns.get(sessionId) === turn) this.#turns.delete(sessionId)
    }
  }

  async #mainReady(signal: AbortSignal): Promise<void> {
    try {
      await withSignal(this.#streams.get(main)?.ready, signal, this.#limits.readyMs)
    } catch (error) {
      if (!this.#hasNoStream(error)) throw error
    }
  }

  /** A headerless server that answers in bodies only. */
  #hasNoStream(error: unknown): boolean {
    return !this.official && error instanceof AcpHttpError && error.status === 405
  }

  async #openSession(sessionId: string, envelope: Envelope, signal: AbortSignal): Promise<void> {
    const stream = this.#streams.get(sessionId) ?? this.#openStream(sessionId)
    try {
      await withSignal(stream.ready, signal, this.#limits.readyMs)
    } catch (error) {
      const early = !isResponse(envelope) && (attaching.has(envelope.method) || detaching.has(envelope.method))
      if (!early || !(error instanceof AcpHttpError)) throw error
      // The server does not know the session yet: its stream opens with the answer.
    }
  }

  #openStream(key: string): EventStream {
    const sessionId = key === main ? undefined : key
    let open = false
    const stream = new EventStream(
      {
        open: (lastEventId, signal) => this.#get(sessionId, lastEventId, signal),
        event: (event) => this.#event(event, sessionId),
        opened: () => {
          open = true
          this.#owner.state({ sessionId, state: "open", attempt: 0 })
        },
        broke: (error, attempt, delayMs) => {
          if (open) this.#owner.broke(sessionId, this.#answersHaveIds === true)
          open = false
          this.#owner.state({ sessionId, state: "reconnecting", attempt, delayMs, error })
        },
        failed: (error) => {
          if (this.#streams.get(key) === stream) this.#streams.delete(key)
          if (this.#hasNoStream(error)) return
          this.#owner.state({ sessionId, state: "lost", attempt: 0, error })
          this.#owner.lost(error, sessionId)
        },
      },
      this.#limits,
    )
    this.#streams.set(key, stream)
    return stream
  }

  async #get(sessionId: string | undefined, lastEventId: string | undefined, signal: AbortSignal): Promise<Answer> {
    const headers: Record<string, string> = { ...this.#headers(sessionId), accept: "text/event-stream" }
    if (lastEventId !== undefined) headers["last-event-id"] = headerText(lastEventId)
    const what = "Opening the event stream"
    const answer = await this.#http.call({
      method: "GET",
      headers,
      what,
      signal,
      timeoutMs: this.#limits.openMs,
      within: "headers",
    })
    const type = mediaType(answer.response)
    if (type === "text/event-stream") return answer
    discard(answer.response.body)
    answer.release()
    throw new AcpError("protocol", `${what}: answered ${answer.response.status} with content type "${type}"`)
  }

  #event({ id, event, data }: ServerEvent, sessionId: string | undefined): void | Promise<void> {
    const envelope = parseJson(data)
    const isAnswer = isBareAnswer(envelope) && this.#owner.awaits(idKey(envelope.id))
    if (!isAnswer && !isEnvelope(envelope)) {
      // Events of other names may be anything; unnamed ones are messages.
      if (event === undefined || event === "message")
        this.#owner.problem(new AcpError("protocol", `Not a JSON-RPC message: ${data.slice(0, 300)}`))
      return
    }
    if (isResponse(envelope)) {
      this.#answersHaveIds = id !== undefined && this.#answersHaveIds !== false
      this.attach(sessionOf(envelope))
    } else if (isRequest(envelope) && sessionId !== undefined) this.#route(idKey(envelope.id), sessionId)
    return this.#owner.message(envelope, { sessionId, text: data })
  }

  /** An answer has to name the session of its request. */
  #route(key: string, sessionId: string): void {
    this.#routes.set(key, sessionId)
    if (this.#routes.size <= maxRoutes) return
    for (const oldest of this.#routes.keys()) {
      this.#routes.delete(oldest)
      return
    }
  }
}

/** Headers hold bytes: the id goes back in the UTF-8 it came in. */
const headerText = (id: string): string => String.fromCharCode(...new TextEncoder().encode(id))

import { type ServerEvent, SseParser } from "acp-http-client/sse"
import type { Message, Received } from "../wire.ts"
import { type ChaosClient, type Decision, decide, type Form, type Json, Refused, Unsure, within } from "./client.ts"

/** The streams of a client, by session; the connection's own, or the only one, has no name. */
const connectionStream = ""

/** Fetch and nothing else: it opens its streams again with `Last-Event-ID` itself and hides nothing. */
export class BareClient implements ChaosClient {
  readonly decisions = new Map<string, Decision>()
  readonly answers = new Map<number, Message>()
  readonly received = new Map<string, Received[]>()
  readonly headers: Record<string, string> = {}
  /** Where each stream began: before its first message. */
  readonly begins = new Map<string, string>()
  readonly #cursors = new Map<string, string>()
  readonly #waiting = new Map<number, (answer: Message) => void>()
  readonly #withdrawn = new Set<string>()
  readonly #over = new AbortController()
  readonly #fault = Promise.withResolvers<never>()
  /** Answers nothing. */
  silent = false
  #broken: Error | undefined
  #wake: (() => void)[] = []
  #count = 0

  constructor(
    readonly url: string,
    readonly token: string,
    readonly form: Form,
    readonly capabilities: Json,
    readonly random: () => number,
    /** Called with every message that came. */
    readonly heard: () => void,
  ) {
    // Who waits is told; `close` tells it in any case.
    this.#fault.promise.catch(() => undefined)
  }

  async initialize(): Promise<void> {
    if (this.form.kind === "headerless") await this.#open(connectionStream)
    const params = { protocolVersion: 1, clientCapabilities: this.capabilities }
    const { headers } = await this.#post({ jsonrpc: "2.0", id: ++this.#count, method: "initialize", params })
    if (this.form.kind === "headerless") return
    this.headers["acp-connection-id"] = headers.get("acp-connection-id") ?? ""
    await this.#open(connectionStream)
  }

  async request(method: string, params: Json, numbered: (id: number) => void = () => {}): Promise<Message> {
    const id = ++this.#count
    numbered(id)
    const answered = new Promise<Message>((resolve) => this.#waiting.set(id, resolve))
    const session = typeof params.sessionId === "string" ? params.sessionId : undefined
    // Places are in one order: what the connection's stream has shown is before all that is said of the session.
    if (session !== undefined && this.form.kind === "official")
      void this.#open(session, this.#cursors.get(connectionStream))
    const posted = await this.#post({ jsonrpc: "2.0", id, method, params }, session)
    if (this.form.kind === "official" && posted.status !== 202)
      throw new Error(`${method}: ${posted.status} ${await posted.text().catch(String)}`)
    // A body that breaks leaves the answer to the stream: it was taken.
    if (this.form.kind === "headerless") this.#inBody(method, posted).catch(() => undefined)
    const answer = await within(
      Promise.race([answered, this.#fault.promise]),
      () => `${this.form.path} ${method} ${id}`,
    )
    if (answer.error !== undefined) throw new Refused(answer.error)
    return answer
  }

  logOf(session: string): Message[] {
    if (this.form.kind === "official") return (this.received.get(session) ?? []).map(({ message }) => message)
    const all = (this.received.get(connectionStream) ?? []).map(({ message }) => message)
    return all.filter(({ params }) => params?.sessionId === session)
  }

  async close(): Promise<void> {
    this.#over.abort()
    if (this.#broken !== undefined) throw this.#broken
  }

  async #inBody(method: string, posted: Response): Promise<void> {
    const text = await posted.text()
    if (text.trim() === "") return
    if (posted.status !== 200) this.#fail(new Error(`${method}: ${posted.status} ${text}`))
    else this.#answered(JSON.parse(text) as Message)
  }

  async #post(message: Json, session?: string): Promise<Response> {
    const headers: Record<string, string> = { ...this.#all(session), "content-type": "application/json" }
    try {
      return await fetch(this.#address, {
        method: "POST",
        headers,
        body: JSON.stringify(message),
        signal: this.#over.signal,
        // Bun sends a request again when a kept connection breaks; a client that must not do so asks for a new one.
        keepalive: false,
      })
    } catch (error) {
      throw new Unsure(String(error))
    }
  }

  get #address(): string {
    return `${this.url}${this.form.path}?agent=${this.form.agent}`
  }

  #all(session: string | undefined): Record<string, string> {
    const scoped = this.form.kind === "official" && session !== undefined
    return {
      authorization: `Bearer ${this.token}`,
      ...this.headers,
      ...(scoped ? { "acp-session-id": session } : {}),
    }
  }

  /** Resolves when the stream has told where it begins. */
  async #open(key: string, cursor?: string): Promise<void> {
    if (this.received.has(key)) return
    this.received.set(key, [])
    if (cursor !== undefined) this.#cursors.set(key, cursor)
    const begun = this.#until(() => this.#cursors.has(key))
    void this.#follow(key)
    await within(Promise.race([begun, this.#fault.promise]), () => `the stream ${key} of ${this.form.path}`)
  }

  async #follow(key: string): Promise<void> {
    const { signal } = this.#over
    while (!signal.aborted) {
      try {
        await this.#read(key)
      } catch (error) {
        if (error instanceof Fault) this.#fail(error)
      }
      await Bun.sleep(2 + this.random() * 10)
    }
  }

  async #read(key: string): Promise<void> {
    const last = this.#cursors.get(key)
    const response = await fetch(this.#address, {
      headers: {
        ...this.#all(key === connectionStream ? undefined : key),
        accept: "text/event-stream",
        ...(last === undefined ? {} : { "last-event-id": last }),
      },
      signal: this.#over.signal,
      keepalive: false,
    })
    // Without a cursor the reader that was cut may still be there to the server.
    if (response.status !== 200 && !(response.status === 409 && last === undefined))
      throw new Fault(`the stream ${key} after ${last}: ${response.status} ${await response.text()}`)
    if (response.status !== 200) return
    const parser = new SseParser(Number.POSITIVE_INFINITY)
    for await (const bytes of response.body ?? []) for (const event of parser.push(bytes)) this.#take(key, event)
  }

  #take(key: string, { id, data }: ServerEvent): void {
    if (id !== undefined) {
      if (!this.begins.has(key)) this.begins.set(key, id)
      this.#cursors.set(key, id)
    }
    if (data !== "") {
      if (id === undefined) throw new Fault(`a message without an id: ${data}`)
      const message = JSON.parse(data) as Message
      this.received.get(key)?.push({ id, message })
      this.#dispatch(message)
      this.heard()
    }
    for (const wake of this.#wake.splice(0)) wake()
  }

  #dispatch(message: Message): void {
    const { id, method, params = {} } = message
    if (method === undefined) return this.#answered(message)
    if (method === "$/cancel_request") this.#withdrawn.add(String(params.requestId))
    if (id === undefined) return
    const request = String(id)
    const known = this.decisions.get(request)
    if (known !== undefined) known.asked++
    else if (!this.silent) void this.#decide(request, method, params)
  }

  /** Posted until it was taken: a person who has decided presses the button again. */
  async #decide(id: string, method: string, params: Json): Promise<void> {
    const { optionId, result } = decide(method, params, this.random)
    const decision: Decision = { optionId, asked: 1, posted: 0 }
    this.decisions.set(id, decision)
    // Some wait long enough for the line to be cut while they are open.
    await Bun.sleep(this.random() < 0.5 ? 0 : this.random() * 60)
    while (!this.#over.signal.aborted && !this.#withdrawn.has(id)) {
      decision.posted++
      try {
        const { status } = await this.#post({ jsonrpc: "2.0", id, result }, String(params.sessionId))
        if (status !== 202 && status !== 200) this.#fail(new Error(`the answer to ${id}: ${status}`))
        return
      } catch (error) {
        if (!(error instanceof Unsure)) throw error
        await Bun.sleep(2 + this.random() * 10)
      }
    }
  }

  #answered(answer: Message): void {
    if (typeof answer.id !== "number") return
    this.answers.set(answer.id, answer)
    this.#waiting.get(answer.id)?.(answer)
    this.#waiting.delete(answer.id)
  }

  async #until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.#wake.push(resolve))
  }

  #fail(error: Error): void {
    this.#broken ??= error
    this.#fault.reject(error)
  }
}

/** A fault of the daemon, not of the line. */
class Fault extends Error {}

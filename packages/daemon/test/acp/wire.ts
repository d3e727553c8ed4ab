import { sseEvents } from "../harness/sse.ts"

export type Json = Record<string, unknown>
export interface Message {
  id?: string | number | null
  method?: string
  params?: Json
  result?: Json
  error?: { code: number; message: string; data?: Json }
}
export interface Received {
  id: string
  message: Message
}

/** ACP over HTTP with nothing in between: what is posted, what comes back, what the streams carry. */
export class Wire {
  #next = 0

  constructor(
    readonly daemon: { url: string; token: string },
    readonly path: string = "/v1/rpc",
  ) {}

  async post(message: unknown, headers: Record<string, string> = {}) {
    const response = await fetch(this.daemon.url + this.path, {
      method: "POST",
      headers: { authorization: `Bearer ${this.daemon.token}`, "content-type": "application/json", ...headers },
      body: typeof message === "string" ? message : JSON.stringify(message),
    })
    const text = await response.text()
    const json = /json/.test(response.headers.get("content-type") ?? "")
    return { status: response.status, headers: response.headers, text, body: (json ? JSON.parse(text) : {}) as Message }
  }

  /** A request without headers; its answer is the body. */
  async ask(method: string, params: Json = {}, id: string | number = ++this.#next): Promise<Message> {
    return (await this.post({ jsonrpc: "2.0", id, method, params })).body
  }

  async initialize(capabilities: Json = {}, agent = "mock"): Promise<string> {
    const params = { protocolVersion: 1, clientCapabilities: capabilities, _meta: { "sandboxagent.dev": { agent } } }
    const { headers } = await this.post({ jsonrpc: "2.0", id: 0, method: "initialize", params })
    return headers.get("acp-connection-id") ?? ""
  }

  async create(id: string): Promise<void> {
    await this.ask("session/new", {
      cwd: "/tmp",
      mcpServers: [],
      _meta: { "sandboxagent.dev": { requestedSessionId: id } },
    })
  }

  async stream(headers: Record<string, string> = {}): Promise<WireStream> {
    const abort = new AbortController()
    const response = await fetch(this.daemon.url + this.path, {
      headers: { authorization: `Bearer ${this.daemon.token}`, accept: "text/event-stream", ...headers },
      signal: abort.signal,
    })
    return new WireStream(response, abort)
  }

  async remove(headers: Record<string, string> = {}): Promise<number> {
    const all = { authorization: `Bearer ${this.daemon.token}`, ...headers }
    return (await fetch(this.daemon.url + this.path, { method: "DELETE", headers: all })).status
  }
}

export class WireStream {
  readonly received: Received[] = []
  /** Of the messages that have one, by their ids. */
  readonly names = new Map<string, string>()
  readonly ended: Promise<void>
  readonly #wake = new Set<() => void>()
  #over = false
  /** Why it ended, where that was an error. */
  #reason: unknown

  constructor(
    readonly response: Response,
    readonly abort: AbortController,
  ) {
    this.ended = response.status === 200 ? this.#read() : Promise.resolve()
  }

  get status(): number {
    return this.response.status
  }

  get messages(): Message[] {
    return this.received.map(({ message }) => message)
  }

  get lastId(): string {
    return this.received.at(-1)?.id ?? ""
  }

  async until(condition: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const found = this.messages.find(condition)
      if (found !== undefined) return found
      this.assertOpen()
      await new Promise<void>((resolve) => this.#wake.add(resolve))
    }
  }

  assertOpen(): void {
    if (this.#over) throw new Error(`the stream ended (${this.#reason}) after ${JSON.stringify(this.received.at(-1))}`)
  }

  async cut(): Promise<void> {
    this.abort.abort()
    await this.ended
  }

  async #read(): Promise<void> {
    try {
      for await (const { id, event, data } of sseEvents(this.response)) {
        this.received.push({ id: id ?? "", message: JSON.parse(data) })
        if (event !== undefined) this.names.set(id ?? "", event)
        this.#changed()
      }
    } catch (error) {
      // Cut, here or there: what was told until then is what counts.
      this.#reason = error
    }
    this.#over = true
    this.#changed()
  }

  #changed(): void {
    for (const wake of [...this.#wake]) wake()
    this.#wake.clear()
  }
}

/** Text of the chunks a stream has carried. */
export const saidIn = (messages: Message[], kind = "agent_message_chunk"): string =>
  messages
    .map(({ params }) => params?.update as { sessionUpdate?: string; content?: { text?: string } } | undefined)
    .map((update) => (update?.sessionUpdate === kind ? (update.content?.text ?? "") : ""))
    .join("")

export const rising = (ids: string[]): boolean =>
  ids.every((id, i) => {
    if (!/^\d+\.\d+$/.test(id)) return false
    const [pos = 0, k = 0] = id.split(".").map(Number)
    const [pos0 = 0, k0 = -1] = (ids[i - 1] ?? "").split(".").map(Number)
    return i === 0 || pos > pos0 || (pos === pos0 && k > k0)
  })

export const text = (value: string) => [{ type: "text", text: value }]

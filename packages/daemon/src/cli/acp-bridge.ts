import { byteLength } from "@sandbox-agent/schema/byte-length"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { parseOfClient } from "@sandbox-agent/schema/json-depth"
import { limits } from "@sandbox-agent/schema/limits"
import { type Call, call } from "./client.ts"
import type { Connection } from "./connection.ts"
import { reconnectDelays } from "./follow.ts"
import { isBrokenPipe, line, note } from "./print.ts"
import { cannotConnect, exitCodeOf, report } from "./problem.ts"
import { sseFrames } from "./sse.ts"

type Message = { jsonrpc?: unknown; id?: string | number | null; method?: unknown }

/**
 * Lines of stdin go to the daemon one by one, what it says comes out line by line. The stream is taken up where it was
 * when it breaks, so the editor notices neither a cut nor a restart of the daemon.
 */
export class Bridge {
  readonly #path: string
  readonly #query: URLSearchParams
  /** Requests of the editor that wait for an answer, by their id as JSON text. */
  readonly #open = new Set<string>()
  #lastId = ""
  #inputEnded = false
  #failure: unknown

  constructor(
    readonly connection: Connection,
    name: string,
    agent: string | undefined,
    readonly stop: AbortController,
  ) {
    this.#path = `/v1/acp/${name}`
    this.#query = new URLSearchParams(agent === undefined ? {} : { agent })
  }

  async run(input: AsyncIterable<Uint8Array>): Promise<number> {
    const opened = Promise.withResolvers<void>()
    const reading = this.#read(() => opened.resolve()).catch((error: unknown) => {
      this.#failure ??= error
      this.stop.abort()
    })
    // The stream begins when it is opened: what is sent before that could be answered into nothing.
    await Promise.race([opened.promise, reading])
    const writing = this.#write(input).catch((error: unknown) => {
      this.#failure ??= error
      this.stop.abort()
    })
    const stopped = new Promise((resolve) => this.stop.signal.addEventListener("abort", resolve, { once: true }))
    if (!this.stop.signal.aborted) await Promise.race([writing.then(() => reading), stopped])
    this.stop.abort()
    await call(this.connection, { method: "DELETE", path: this.#path }).catch(() => {}) // it may be gone already
    if (this.#failure === undefined || isBrokenPipe(this.#failure)) return 0
    await report(this.#failure, false)
    return exitCodeOf(this.#failure)
  }

  async #write(input: AsyncIterable<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder()
    let rest = ""
    let restBytes = 0
    for await (const chunk of input) {
      if (this.stop.signal.aborted) return
      const lines = decoder.decode(chunk, { stream: true }).split("\n")
      const end = lines.pop() ?? ""
      if (lines.length > 0) lines[0] = rest + lines[0]
      rest = lines.length > 0 ? end : rest + end
      restBytes = lines.length > 0 ? byteLength(end) : restBytes + chunk.length
      if (restBytes > limits.requestBodyBytes)
        throw new SandboxAgentError("payload_too_large", `a line is longer than ${limits.requestBodyBytes} bytes`)
      for (const text of lines) await this.#post(text)
    }
    await this.#post(rest)
    this.#inputEnded = true
    this.#finishIfDone()
  }

  async #post(text: string): Promise<void> {
    if (text.trim() === "") return
    const message = parsed(text)
    const isCall = typeof message?.method === "string" && message.id !== undefined
    if (isCall) this.#open.add(JSON.stringify(message.id))
    try {
      const answer = await this.#send(text)
      if (answer !== "") await this.#say(answer)
    } catch (error) {
      if (this.stop.signal.aborted) return
      const detail = SandboxAgentError.is(error) ? error.detail : String(error)
      if (!isCall) return await note(`not delivered: ${detail}`)
      const failed = {
        code: -32603,
        message: detail,
        data: { code: SandboxAgentError.is(error) ? error.code : "internal" },
      }
      await this.#say(JSON.stringify({ jsonrpc: "2.0", id: message.id, error: failed }))
    }
  }

  /** The body of the answer. Requests are answered on the stream; what is not a request, or refused, here. */
  async #send(text: string): Promise<string> {
    const { endpoint, token } = this.connection
    const headers: Record<string, string> = { "content-type": "application/json", prefer: "respond-async" }
    if (token) headers.authorization = `Bearer ${token}`
    const query = this.#query.size > 0 ? `?${this.#query}` : ""
    let response: Response
    try {
      const { signal } = this.stop
      const init = { method: "POST", headers, body: text, signal, redirect: "manual", timeout: false } as const
      response = await fetch(`${endpoint}${this.#path}${query}`, init)
    } catch (error) {
      throw cannotConnect(endpoint, error)
    }
    const body = await response.text()
    if (response.ok || parsed(body)?.jsonrpc === "2.0") return body
    const problem = parsed(body) as { detail?: string } | undefined
    throw new SandboxAgentError("stream_error", problem?.detail ?? `HTTP ${response.status} from ${endpoint}`)
  }

  async #read(opened: () => void): Promise<void> {
    for (let attempt = 0, connected = false; !this.stop.signal.aborted; ) {
      try {
        const request: Call = { method: "GET", path: this.#path, accept: "text/event-stream", signal: this.stop.signal }
        const response = await call(this.connection, { ...request, lastEventId: this.#lastId || undefined })
        connected = true
        opened()
        const onPlace = (id: string) => {
          this.#lastId = id
        }
        for await (const frame of sseFrames(response.body ?? new ReadableStream(), this.#lastId, onPlace)) {
          attempt = 0
          await this.#say(frame.data)
          this.#lastId = frame.id
        }
      } catch (error) {
        if (this.stop.signal.aborted) return
        const refused = SandboxAgentError.is(error) && error.code !== "unavailable"
        if (!connected || refused || isBrokenPipe(error) || attempt >= reconnectDelays.length) throw error
      }
      await Bun.sleep(reconnectDelays[attempt++] ?? 0)
    }
  }

  async #say(text: string): Promise<void> {
    const message = parsed(text)
    if (message !== undefined && message.method === undefined) this.#open.delete(JSON.stringify(message.id))
    await line(text)
    // Nobody is left to answer it.
    if (this.#inputEnded && message?.method !== undefined && message.id !== undefined) this.stop.abort()
    this.#finishIfDone()
  }

  /** The editor has left, and has all that it asked for. */
  #finishIfDone(): void {
    if (this.#inputEnded && this.#open.size === 0) this.stop.abort()
  }
}

function parsed(text: string): Message | undefined {
  try {
    return parseOfClient(text) as Message
  } catch {
    return undefined // told by the daemon, in the words of the protocol
  }
}

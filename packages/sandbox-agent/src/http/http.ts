import { backOff, pause } from "acp-http-client"
import { isSandboxAgentError, ProblemError, SandboxAgentError } from "../errors.ts"
import type { Limits } from "../limits.ts"
import { type MadeSocket, type SocketMaker, socketWith } from "../socket/socket-maker.ts"
import type { Problem } from "../types.ts"
import { checkPath, type Query, withQuery } from "./address.ts"
import { bearerOf, sentHeaders } from "./credentials.ts"
import { Deadline } from "./deadline.ts"
import { Lifetime } from "./lifetime.ts"
import { sentBytes } from "./sent-bytes.ts"

/** What can be sent as the content of a file. */
export type Bytes = string | Uint8Array<ArrayBuffer> | ArrayBuffer | Blob | ReadableStream<Uint8Array>
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>
export type HeaderSource = Record<string, string> | Headers | [string, string][]
export type TokenSource = string | (() => string | Promise<string>)

/** Of every call. */
export interface CallOptions {
  /** Rejects at once, with `kind: "aborted"`. */
  signal?: AbortSignal
  /** In place of the limit of the client. */
  timeoutMs?: number
}

export interface Call extends CallOptions {
  /** What is being done, for messages of errors. */
  what: string
  method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE"
  path: string
  query?: Query
  /** Sent as JSON. */
  json?: unknown
  /** Sent as it is. */
  bytes?: Bytes
  headers?: Record<string, string>
  /** May wait for an agent, an install or a program. */
  slow?: boolean
  /** Asking twice does what asking once does. Reading always does. */
  safe?: boolean
}

export interface Answer {
  response: Response
  deadline: Deadline
}

export interface HttpOptions {
  base: string
  token?: TokenSource
  headers?: HeaderSource | (() => HeaderSource | Promise<HeaderSource>)
  fetch?: Fetch
  WebSocket?: SocketMaker
  onError?: (error: Error) => void
  limits: Limits
}

/** Requests to one daemon, with every failure as a SandboxAgentError. */
export class Http {
  readonly limits: Limits
  /** Ends with the client: what is under way does then, and nothing is asked any more. */
  readonly lifetime = new Lifetime()
  readonly #options: HttpOptions

  constructor(options: HttpOptions) {
    this.#options = options
    this.limits = options.limits
  }

  get fetch(): Fetch | undefined {
    return this.#options.fetch
  }

  /** A WebSocket to a path, with the headers that requests have: what is in front of the daemon asks for them there, too. */
  async socket(path: string): Promise<MadeSocket> {
    const { WebSocket, headers: given } = this.#options
    const headers = Object.fromEntries(sentHeaders(typeof given === "function" ? await given() : given))
    const url = this.url(path).replace(/^http/, "ws")
    if (WebSocket !== undefined && WebSocket !== globalThis.WebSocket) return socketWith(WebSocket, url, headers)
    // Loaded when it is asked for: Node 20 has none of its own.
    return (await import("#web-socket")).openSocket(url, headers)
  }

  /** What no promise can tell. */
  report(error: Error): void {
    const { onError = (problem: Error) => console.error("sandbox-agent:", problem) } = this.#options
    onError(error)
  }

  url(path: string): string {
    return this.#options.base + path
  }

  json<T>(call: Call): Promise<T> {
    return this.whole(call, async (response) => {
      const text = await response.text()
      try {
        return JSON.parse(text) as T
      } catch (error) {
        // Not every runtime tells of a body that was cut off.
        const kind = mediaType(response) === "application/json" || text === "" ? "network" : "protocol"
        throw new SandboxAgentError(kind, `${call.what}: the answer is not JSON`, error)
      }
    })
  }

  text(call: Call): Promise<string> {
    return this.whole(call, (response) => response.text())
  }

  /** An answer and its body; what is safe is asked again also when the body breaks. */
  async whole<T>(call: Call, read: (response: Response) => Promise<T>): Promise<T> {
    const { value, deadline } = await this.#attempts(call, read)
    deadline.release()
    return value
  }

  /** For answers without a body, and those of which the head is enough. */
  async head(call: Call): Promise<Response> {
    const { response, deadline } = await this.open(call)
    deadline.release()
    discard(response.body)
    return response
  }

  /** A 2xx whose body is not read yet. The deadline is to be released when the body is done with. */
  async open(call: Call): Promise<Answer> {
    const { value, deadline } = await this.#attempts(call, async (response) => response)
    return { response: value, deadline }
  }

  async #attempts<T>(call: Call, read: (response: Response) => Promise<T>) {
    const { limits } = this
    checkPath(call.what, call.path)
    const safe = call.safe ?? (call.method === "GET" || call.method === "HEAD")
    const timeoutMs = call.timeoutMs ?? (call.slow ? limits.workMs : limits.requestMs)
    const deadline = new Deadline(call.what, call.signal, timeoutMs, this.lifetime)
    for (let attempt = 1; ; attempt++) {
      try {
        const response = await this.#once(call, deadline)
        return { value: await deadline.hold(read(response)), deadline }
      } catch (cause) {
        const error = deadline.explain(cause)
        const waitMs = safe && attempt < limits.attempts ? this.#again(error, attempt) : undefined
        if (waitMs === undefined || waitMs >= deadline.leftMs) {
          deadline.release()
          throw error
        }
        await pause(waitMs, deadline.signal)
      }
    }
  }

  /** How long to wait before asking again; undefined: it would not help. */
  #again(error: SandboxAgentError, attempt: number): number | undefined {
    const { pauseMinMs, pauseMaxMs } = this.limits
    const waitMs = backOff(attempt - 1, pauseMinMs, pauseMaxMs)
    if (error.kind === "network") return waitMs
    if (!(error instanceof ProblemError)) return undefined
    // A full queue (429) is not emptied by asking: only where a time is named.
    const passing = [502, 503, 504].includes(error.status) || (error.status === 429 && error.retryAfterMs !== undefined)
    return passing ? Math.max(waitMs, error.retryAfterMs ?? 0) : undefined
  }

  async #once(call: Call, deadline: Deadline): Promise<Response> {
    const response = await deadline.hold(this.#fetch(call, deadline))
    if (response.ok) return response
    const body = await deadline.hold(cutText(response, this.limits.errorBodyChars))
    throw problemOf(call.what, response, body)
  }

  async #fetch(call: Call, deadline: Deadline): Promise<Response> {
    const { fetch } = this.#options
    const init: RequestInit & { duplex?: "half" } = { method: call.method, headers: await this.headers(call) }
    init.signal = deadline.signal
    if (call.json !== undefined) init.body = jsonOf(call)
    // What takes long to send is late when it stands still.
    else if (call.bytes !== undefined) init.body = await sentBytes(call.bytes, () => deadline.again())
    // Runtimes ask that a body which is still being made says so.
    if (init.body instanceof ReadableStream) init.duplex = "half"
    const url = this.url(withQuery(call.path, call.query))
    return fetch ? fetch(url, init) : globalThis.fetch(url, init)
  }

  async headers(call: Pick<Call, "headers" | "json"> = {}): Promise<Headers> {
    const { token, headers } = this.#options
    const all = sentHeaders(typeof headers === "function" ? await headers() : headers)
    const secret = await Promise.resolve(typeof token === "function" ? token() : token)
    if (secret !== undefined) all.set("authorization", bearerOf(secret))
    if (call.json !== undefined) all.set("content-type", "application/json")
    for (const [name, value] of sentHeaders(call.headers)) all.set(name, value)
    return all
  }
}

function jsonOf({ what, json }: Call): string {
  try {
    return JSON.stringify(json)
  } catch (error) {
    throw new SandboxAgentError("argument", `${what}: ${String(error)}`, error)
  }
}

export const mediaType = (response: Response): string =>
  (response.headers.get("content-type")?.split(";", 1)[0] ?? "").trim().toLowerCase()

/** Gives the socket back. What fails here has failed before, or the body was whole already. */
export function discard(body: { cancel(): Promise<void> } | null): void {
  body?.cancel().catch(() => undefined)
}

export function problemOf(what: string, response: Response, body: string): ProblemError {
  return new ProblemError(what, response.status, body, readProblem(body), retryAfter(response.headers))
}

export function readProblem(text: string): Problem | undefined {
  try {
    const found: unknown = JSON.parse(text)
    const isProblem = typeof found === "object" && found !== null && "type" in found && "title" in found
    return isProblem && String(found.type).startsWith("urn:sandbox-agent:error:") ? (found as Problem) : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

async function cutText(response: Response, limit: number): Promise<string> {
  if (response.body === null) return ""
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ""
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return text + decoder.decode()
      text += decoder.decode(value, { stream: true })
      if (text.length > limit) return text.slice(0, limit)
    }
  } finally {
    discard(reader)
  }
}

function retryAfter(headers: Headers): number | undefined {
  const value = headers.get("retry-after")
  if (value === null) return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

/** Whether asking again later might help. */
export const isPassing = (error: unknown): boolean => {
  if (!isSandboxAgentError(error)) return false
  if (error instanceof ProblemError) return error.status >= 500 || [408, 409, 425, 429].includes(error.status)
  return error.kind === "network" || error.kind === "timeout"
}

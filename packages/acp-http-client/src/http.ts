import { Cookies } from "./cookies.ts"
import { AcpError, AcpHttpError, isAcpError } from "./errors.ts"
import { type HeaderSource, headersOf } from "./headers.ts"
import type { Limits } from "./limits.ts"
import { patient } from "./patient.ts"
import { timerOf } from "./timer.ts"

export type Fetch = (url: string, init?: RequestInit) => Promise<Response>

export interface HttpOptions {
  url: string
  fetch?: Fetch
  headers?: HeaderSource | (() => HeaderSource | Promise<HeaderSource>)
  credentials?: "omit" | "same-origin" | "include"
}

export interface Call {
  method: "POST" | "GET" | "DELETE"
  headers: Record<string, string>
  body?: string
  /** What is being done, for messages of errors. */
  what: string
  signal: AbortSignal
  timeoutMs?: number
  /** What the time is for: an event stream has no end. */
  within?: "headers" | "body"
}

export interface Answer {
  response: Response
  /** The body; more than the limit is refused. `alive` is called with every piece of it. */
  text(limit: number, alive?: () => void): Promise<string>
  /** To be called when the body is done with: the signal is listened to until then. */
  release(): void
}

/** Requests to one URL, with every failure as an AcpError. */
export class Http {
  readonly #options: HttpOptions
  readonly #limits: Limits
  readonly #cookies = new Cookies()

  constructor(options: HttpOptions, limits: Limits) {
    this.#options = options
    this.#limits = limits
    // At once where it can be known at once.
    if (typeof options.headers !== "function") checked(options.headers)
  }

  /** Resolves with a 2xx whose body is not read yet. */
  async call(call: Call): Promise<Answer> {
    const gate = new Gate(call.signal, call.timeoutMs, call.what)
    try {
      const response = await gate.hold(this.#fetch(call, gate.signal))
      if (call.within === "headers") gate.disarm()
      if (this.#options.credentials !== "omit") this.#cookies.keep(response.headers)
      if (!response.ok) {
        const body = await gate.hold(readText(response, this.#limits.errorBodyChars, "cut"))
        throw new AcpHttpError(call.what, response.status, body, retryAfter(response.headers))
      }
      return {
        response,
        text: (limit, alive) =>
          gate.hold(readText(response, limit, "refuse", alive)).catch((error) => {
            throw gate.explain(error)
          }),
        release: () => gate.release(),
      }
    } catch (error) {
      gate.release()
      throw gate.explain(error)
    }
  }

  async #fetch(call: Call, signal: AbortSignal): Promise<Response> {
    const { fetch, headers, credentials, url } = this.#options
    const all = checked(typeof headers === "function" ? await headers() : headers)
    for (const [name, value] of checked(call.headers)) all.set(name, value)
    if (credentials !== "omit") this.#cookies.apply(all)
    const init: RequestInit = { method: call.method, headers: all, signal, body: call.body }
    // Named only when asked for: Workers refuse the field.
    if (credentials !== undefined) init.credentials = credentials
    return fetch ? fetch(url, init) : globalThis.fetch(url, patient(init))
  }
}

const checked = (source: HeaderSource | undefined): Headers =>
  headersOf(source, (why) => new AcpError("argument", `headers: ${why}`))

/** One signal out of the caller's and a deadline, and the word for what happened. */
class Gate {
  readonly #controller = new AbortController()
  readonly #outer: AbortSignal
  readonly #what: string
  readonly #onAbort = () => this.#controller.abort(this.#outer.reason)
  #timer: ReturnType<typeof setTimeout> | undefined
  #late = false

  constructor(outer: AbortSignal, timeoutMs: number | undefined, what: string) {
    this.#outer = outer
    this.#what = what
    if (outer.aborted) this.#onAbort()
    else outer.addEventListener("abort", this.#onAbort)
    if (timeoutMs !== undefined) {
      this.#timer = timerOf(() => {
        this.#late = true
        this.#controller.abort()
      }, timeoutMs)
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Settles on abort also where a `fetch` or a function for headers does not heed its signal. */
  hold<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const onAbort = () => reject(this.signal.reason)
      if (this.signal.aborted) onAbort()
      this.signal.addEventListener("abort", onAbort)
      work.then(resolve, reject).finally(() => this.signal.removeEventListener("abort", onAbort))
    })
  }

  disarm(): void {
    clearTimeout(this.#timer)
  }

  release(): void {
    this.disarm()
    this.#outer.removeEventListener("abort", this.#onAbort)
  }

  explain(error: unknown): AcpError {
    if (this.#late) return new AcpError("timeout", `${this.#what}: no answer in time`, error)
    if (this.#outer.aborted) return new AcpError("aborted", `${this.#what}: aborted`, this.#outer.reason)
    return networkError(this.#what, error)
  }
}

/** Failures of fetch and of bodies differ in every runtime; the kind does not. */
export function networkError(what: string, error: unknown): AcpError {
  if (isAcpError(error)) return error
  return new AcpError("network", `${what}: ${error instanceof Error ? error.message : String(error)}`, error)
}

/** The body as text: over the limit it is cut or refused. */
async function readText(
  response: Response,
  limit: number,
  over: "cut" | "refuse",
  alive?: () => void,
): Promise<string> {
  if (response.body === null) return ""
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ""
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return text + decoder.decode()
      alive?.()
      // A server that keeps a long answer alive does so with white space; kept, it would add up.
      text =
        text === ""
          ? decoder.decode(value, { stream: true }).trimStart()
          : text + decoder.decode(value, { stream: true })
      if (text.length <= limit) continue
      if (over === "cut") return text.slice(0, limit)
      throw new AcpError("too_large", `A body is larger than ${limit} characters`)
    }
  } finally {
    discard(reader)
  }
}

/** Gives the socket back. What fails here has failed before, or the body was whole already. */
export function discard(body: { cancel(): Promise<void> } | null): void {
  body?.cancel().catch(() => undefined)
}

function retryAfter(headers: Headers): number | undefined {
  const value = headers.get("retry-after")
  if (value === null) return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

export const mediaType = (response: Response): string =>
  (response.headers.get("content-type")?.split(";", 1)[0] ?? "").trim().toLowerCase()

import { SandboxAgentError } from "./errors.ts"
import { baseOf } from "./http/address.ts"
import { bearerOf, sentHeaders } from "./http/credentials.ts"
import { type Fetch, type HeaderSource, Http, type TokenSource } from "./http/http.ts"
import { defaultLimits, type Limits } from "./limits.ts"
import type { SandboxAddress } from "./sandbox/sandbox.ts"
import type { SocketMaker } from "./socket/socket-maker.ts"

/** How the daemon is reached. */
export interface HttpClientOptions {
  /** Where the daemon is, such as `http://127.0.0.1:2468`. */
  baseUrl: string | URL
  /** A function is asked before each request, for tokens that change. */
  token?: TokenSource
  /** Sent with every request. */
  headers?: HeaderSource | (() => HeaderSource | Promise<HeaderSource>)
  fetch?: Fetch
  /** Of terminals, in place of that of the runtime. Given `headers` it gets `{ headers }` as its second argument, as `ws` takes it. */
  WebSocket?: SocketMaker
  /** What no promise can tell: a listener that threw, a request of the daemon that could not be answered, a sandbox that came late and could not be removed. Default: `console.error`. */
  onError?: (error: Error) => void
  limits?: Partial<Limits>
}

export function httpOf({ baseUrl, limits, token, headers, fetch, WebSocket, onError }: HttpClientOptions): Http {
  const base = baseOf(baseUrl)
  // At once where it can be known at once.
  if (typeof token === "string") bearerOf(token)
  if (typeof headers !== "function") sentHeaders(headers)
  return new Http({ base, token, headers, fetch, WebSocket, onError, limits: limitsOf(limits) })
}

export function limitsOf(limits: Partial<Limits> | undefined): Limits {
  const all = { ...defaultLimits, ...limits }
  for (const [name, value] of Object.entries(all))
    if (typeof value !== "number" || Number.isNaN(value) || value < 0)
      throw new SandboxAgentError("argument", `limits.${name}: ${value} is no bound`)
  return all
}

/** What a sandbox asks for, with what the caller does. */
export function reachedAt(
  sandbox: SandboxAddress & { token: string },
  { headers, fetch, WebSocket }: Omit<HttpClientOptions, "baseUrl">,
): HttpClientOptions {
  const { baseUrl, token, headers: asked = {} } = sandbox
  const both = async () => ({
    ...Object.fromEntries(sentHeaders(typeof headers === "function" ? await headers() : headers)),
    ...asked,
  })
  return { baseUrl, token, headers: both, fetch: fetch ?? sandbox.fetch, WebSocket: WebSocket ?? sandbox.WebSocket }
}

import { timingSafeEqual } from "node:crypto"
import { SandboxAgentError } from "@sandbox-agent/schema/error"

export interface GuardOptions {
  /** undefined: no token is asked for. */
  token?: string
  host: string
  allowHosts: readonly string[]
  cors: CorsOptions
}

export interface CorsOptions {
  origins: readonly string[]
  methods: readonly string[]
  headers: readonly string[]
  credentials: boolean
}

const loopback = new Set(["localhost", "127.0.0.1", "[::1]", "::1"])
export const isLoopback = (host: string): boolean => loopback.has(host) || /^127\.\d+\.\d+\.\d+$/.test(host)
const isAddress = (host: string): boolean => /^\d+\.\d+\.\d+\.\d+$/.test(host) || host.startsWith("[")

const defaultMethods = ["GET", "POST", "PUT", "PATCH", "DELETE"]
const defaultHeaders = [
  "authorization",
  "content-type",
  "x-sandbox-token",
  "last-event-id",
  "if-match",
  "if-none-match",
  "if-modified-since",
  "if-range",
  "range",
  "acp-connection-id",
  "acp-session-id",
]

/** Who may speak to the daemon: Host and Origin against rebinding and foreign pages, the token against everyone else. */
export class Guard {
  readonly #token: Buffer | undefined
  readonly #anyHost: boolean
  readonly #hosts: Set<string>
  readonly #anyOrigin: boolean
  readonly #origins: Set<string>

  constructor(readonly options: GuardOptions) {
    this.#token = options.token === undefined ? undefined : Buffer.from(options.token)
    this.#anyHost = !isLoopback(options.host) && options.token !== undefined
    this.#hosts = new Set(options.allowHosts.map((host) => host.toLowerCase()))
    this.#anyOrigin = options.cors.origins.includes("*")
    this.#origins = new Set(options.cors.origins.map((origin) => origin.toLowerCase()))
  }

  /** Throws `permission_denied` when the request comes by a name or from a page that was not allowed. */
  checkSender(request: Request): void {
    const host = request.headers.get("host") ?? ""
    if (!this.#anyHost && !this.#hostAllowed(hostname(host)))
      throw new SandboxAgentError(
        "permission_denied",
        `Host ${JSON.stringify(host.slice(0, 200))} is not allowed; start the daemon with --allow-host ${hostname(host).slice(0, 100)}`,
      )
    const origin = request.headers.get("origin")
    if (origin !== null && !this.originAllowed(origin) && originHost(origin) !== host.toLowerCase())
      throw new SandboxAgentError(
        "permission_denied",
        `Origin ${JSON.stringify(origin.slice(0, 200))} is not allowed; start the daemon with --cors-allow-origin ${origin.slice(0, 100)}`,
      )
  }

  checkToken(request: Request): void {
    if (this.#token === undefined) return
    const header = request.headers.get("authorization")
    const given =
      /^bearer +(.+)$/i.exec(header ?? "")?.[1] ?? request.headers.get("x-sandbox-token") ?? tokenIn(request)
    if (given === null || !this.isToken(given.trim()))
      throw new SandboxAgentError(
        "token_invalid",
        given === null ? "the request carries no token" : "the token is wrong",
      )
  }

  isToken(text: string): boolean {
    return this.#token !== undefined && sameBytes(Buffer.from(text), this.#token)
  }

  /** Nobody but this machine reaches it. */
  get onLoopback(): boolean {
    return isLoopback(this.options.host)
  }

  originAllowed(origin: string): boolean {
    return this.#anyOrigin || this.#origins.has(origin.toLowerCase())
  }

  get corsOn(): boolean {
    return this.#origins.size > 0
  }

  /** Headers a browser needs to hand the answer, and `shown` of its headers, to the page. */
  corsHeaders(origin: string | null, shown: Iterable<string> = []): Record<string, string> | undefined {
    if (origin === null || !this.corsOn || !this.originAllowed(origin)) return undefined
    const { credentials } = this.options.cors
    return {
      "access-control-allow-origin": this.#anyOrigin && !credentials ? "*" : origin,
      // With credentials `*` would be a header of that name.
      "access-control-expose-headers": credentials ? [...shown].join(", ") : "*",
      vary: "Origin",
      ...(credentials ? { "access-control-allow-credentials": "true" } : {}),
    }
  }

  preflight(origin: string): Response {
    const { methods, headers } = this.options.cors
    return new Response(null, {
      status: 204,
      headers: {
        ...this.corsHeaders(origin),
        "access-control-allow-methods": (methods.length > 0 ? methods : defaultMethods).join(", "),
        "access-control-allow-headers": (headers.length > 0 ? headers : defaultHeaders).join(", "),
        "access-control-max-age": "600",
      },
    })
  }

  #hostAllowed(name: string): boolean {
    if (this.#hosts.has(name) || loopback.has(name)) return true
    if (isLoopback(this.options.host)) return isLoopback(name) || name === this.options.host
    return isAddress(name) || name === this.options.host
  }
}

/** Takes the same time wherever they differ; only their length can be told from it. */
const sameBytes = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b)

function hostname(host: string): string {
  const lower = host.toLowerCase()
  return lower.startsWith("[") ? lower.replace(/\]:\d+$/, "]") : lower.replace(/:\d+$/, "")
}

function originHost(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined
}

/** A page cannot set headers of a WebSocket: its token comes among the subprotocols, in base64url. */
function tokenIn(request: Request): string | null {
  const offered = request.headers.get("upgrade") === null ? null : request.headers.get("sec-websocket-protocol")
  const coded = /(?:^|[\s,])sandboxagent\.token\.([A-Za-z0-9_-]+)/.exec(offered ?? "")?.[1]
  return coded === undefined ? null : Buffer.from(coded, "base64url").toString()
}

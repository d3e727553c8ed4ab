import type { Contract, RouteId } from "@sandbox-agent/schema/contract/contract"
import { type Answering, heads, loadRoute } from "@sandbox-agent/schema/contract/on-demand"
import type { Method } from "@sandbox-agent/schema/contract/route"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Logger } from "../../core/context.ts"
import { wholeAnswer } from "./answer.ts"
import type { Guard } from "./guard.ts"
import { headOnly } from "./head.ts"
import { type Input, readInput } from "./input.ts"
import { asError, problemResponse } from "./problem.ts"
import type { Upgrade } from "./socket.ts"
import { assertAcceptsSse, assertRoomForStream } from "./sse.ts"
import type { StalledReaders } from "./stalled-readers.ts"

/** One handler per route of the contract; it returns JSON or a whole response. */
export type Handlers = { [K in RouteId]: (input: Input<Contract[K]>) => unknown }

/** A face or page that is not declared route by route: one path, with `{name}` for any segment, or everything below a path that ends in `/*`. */
export interface Mount {
  path: string
  /** No token needed. */
  open?: boolean
  handle(request: Request, upgrade: Upgrade): Response | Promise<Response>
}

type BunRequest = Request & { params?: Record<string, string> }
type Handle = (request: BunRequest) => Response | Promise<Response>
export type BunRoutes = Record<string, Partial<Record<Method, Handle>>>

/** Turns the contract into Bun's own router: matching happens in native code, everything else here, once for all routes. */
export class Router {
  #requests = 0
  readonly #mounts: readonly { mount: Mount; isAt(path: string): boolean }[]

  constructor(
    readonly guard: Guard,
    readonly log: Logger,
    /** Makes request ids of this run unlike those of any other. */
    readonly run: string,
    mounts: readonly Mount[],
    readonly stalled: StalledReaders,
  ) {
    this.#mounts = mounts.map((mount) => ({ mount, isAt: placeOf(mount.path) }))
  }

  /** Told of every request. */
  onRequest: (() => void) | undefined
  /** Told of what went wrong inside. */
  onFault: ((thrown: unknown) => void) | undefined

  /** Routes that need the token although the contract says that they are open. */
  closed: readonly RouteId[] = []

  routes(handlers: Handlers): BunRoutes {
    const routes: BunRoutes = {}
    for (const [id, { method, paths, open = false }] of heads) {
      const isOpen = open && !this.closed.includes(id)
      const handler = handlers[id] as (input: Input) => unknown
      let route: Answering | undefined
      const handle: Handle = (request) =>
        this.#run(request, isOpen, async (requestId) => {
          route ??= await loadRoute(id)
          return this.#answer(route, handler, request, requestId)
        })
      for (const path of paths) {
        const pattern = path.replaceAll(/\{(\w+)\}/g, ":$1")
        routes[pattern] ??= {}
        routes[pattern][method] = handle
      }
    }
    return routes
  }

  /** Everything the table has no entry for: other faces, preflight, 405, 404. */
  fallback(request: Request, upgrade: Upgrade): Response | Promise<Response> {
    const path = pathOf(request)
    const origin = request.headers.get("origin")
    if (request.method === "OPTIONS" && origin !== null && this.guard.corsHeaders(origin) !== undefined) {
      this.onRequest?.()
      // By any Host: a browser keeps back why a preflight was refused, and what follows it is checked.
      return this.guard.preflight(origin)
    }
    const mount = this.#mounts.find(({ isAt }) => isAt(path))?.mount
    if (mount !== undefined) return this.#run(request, mount.open ?? false, () => mount.handle(request, upgrade))
    return this.#run(request, false, () => {
      const allowed = allowedAt(path)
      // A path with `..` or an empty segment may look like a route to us and not to the table.
      if (allowed.length === 0 || allowed.some((method) => method === request.method))
        throw new SandboxAgentError("not_found", `there is nothing at ${path.slice(0, 200)}`)
      throw new SandboxAgentError(
        "method_not_allowed",
        `${path.slice(0, 200)} takes ${allowed.join(", ")}, not ${request.method}`,
        {
          allow: allowed,
        },
      )
    })
  }

  async #answer(
    route: Answering,
    handler: (input: Input) => unknown,
    request: BunRequest,
    requestId: string,
  ): Promise<Response> {
    if (route.answer === "sse") {
      assertAcceptsSse(request)
      assertRoomForStream()
    }
    const input = await readInput(route, request, requestId)
    const answering = handler(input)
    const answer = answering instanceof Promise ? await this.stalled.hold(request, answering) : answering
    if (answer instanceof Response) return answer
    const headers = { "content-type": "application/json;charset=utf-8" }
    return wholeAnswer(JSON.stringify(answer), { request, stalled: this.stalled, status: route.status, headers })
  }

  async #run(
    request: Request,
    isOpen: boolean,
    answer: (requestId: string) => Response | Promise<Response>,
  ): Promise<Response> {
    const requestId = `req_${this.run}_${(++this.#requests).toString(36)}`
    this.onRequest?.()
    let response: Response
    try {
      this.guard.checkSender(request)
      if (!isOpen) this.guard.checkToken(request)
      response = await (request.method === "HEAD" ? headOnly(request, () => answer(requestId)) : answer(requestId))
    } catch (thrown) {
      const error = asError(thrown, (inside) => this.#report(inside, request, requestId))
      const allow = error.context.allow as string[] | undefined
      const headers: Record<string, string> = allow ? { allow: allow.join(", ") } : {}
      if (typeof error.context.retryAfterSeconds === "number")
        headers["retry-after"] = String(error.context.retryAfterSeconds)
      if (error.code === "range_not_satisfiable") headers["content-range"] = `bytes */${error.context.size}`
      if (error.code === "token_invalid") headers["www-authenticate"] = 'Bearer realm="sandbox-agent"'
      response = problemResponse(error, requestId, headers)
    }
    const cors = this.guard.corsOn
      ? this.guard.corsHeaders(request.headers.get("origin"), response.headers.keys())
      : undefined
    if (cors !== undefined) for (const [name, value] of Object.entries(cors)) response.headers.set(name, value)
    return response
  }

  #report(thrown: unknown, request: Request, requestId: string): void {
    this.onFault?.(thrown)
    const error = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
    this.log("error", "request failed", { requestId, method: request.method, path: pathOf(request), error })
  }
}

/** Path without query. By hand: a Host that is no host makes the whole address unreadable, and must be answered too. */
export const pathOf = ({ url }: Pick<Request, "url">): string => address.exec(url)?.[1] ?? "/"
const address = /^(?:[^:/?#]*:\/\/[^/?#]*)?(\/[^?#]*)?/

/** Whether a path is that of a mount, or below it. */
function placeOf(pattern: string): (path: string) => boolean {
  if (pattern.endsWith("/*")) {
    const [itself, below] = [pattern.slice(0, -2), pattern.slice(0, -1)]
    return (path) => path === itself || path.startsWith(below)
  }
  return pattern.includes("{") ? (path) => fits(pattern, path.split("/")) : (path) => path === pattern
}

/** Methods the contract has at a concrete path. */
export function methodsAt(path: string): Method[] {
  const segments = path.split("/")
  const found = heads.filter(([, { paths }]) => paths.some((pattern) => fits(pattern, segments)))
  return [...new Set(found.map(([, { method }]) => method))]
}

/** And HEAD, which is answered wherever GET is. */
function allowedAt(path: string): Method[] {
  const methods = methodsAt(path)
  return methods.includes("GET") && !methods.includes("HEAD") ? [...methods, "HEAD"] : methods
}

function fits(pattern: string, segments: readonly string[]): boolean {
  const parts = pattern.split("/")
  const same = (part: string, i: number) => (part.startsWith("{") ? segments[i] !== "" : part === segments[i])
  return parts.length === segments.length && parts.every(same)
}

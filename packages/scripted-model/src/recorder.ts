import { LIMITS } from "./limits.ts"
import type { ModelRequest, SideKind } from "./request.ts"
import type { Matcher } from "./step.ts"

/** A request beside the conversation; `request` is there when it asked the model something. */
export interface SideRequest {
  kind: SideKind
  method: string
  path: string
  request: ModelRequest | undefined
}

/** A request no script foresaw, or one whose script failed. */
export interface Unexpected {
  reason: string
  method: string
  path: string
  request: ModelRequest | undefined
}

interface Waiter {
  matcher: Matcher
  resolve(request: ModelRequest): void
}

/** What came in, in order of arrival. */
export class Recorder {
  readonly requests: ModelRequest[] = []
  readonly sideRequests: SideRequest[] = []
  readonly unexpected: Unexpected[] = []
  readonly #waiters = new Set<Waiter>()

  request(request: ModelRequest): void {
    keep(this.requests, request)
    for (const waiter of this.#waiters) {
      if (!waiter.matcher(request)) continue
      this.#waiters.delete(waiter)
      waiter.resolve(request)
    }
  }

  side(request: SideRequest): void {
    keep(this.sideRequests, request)
  }

  surprise(unexpected: Unexpected): void {
    keep(this.unexpected, unexpected)
  }

  /** The first request that fits, among those recorded and those to come. */
  async waitFor(matcher: Matcher, timeoutMs: number): Promise<ModelRequest> {
    const seen = this.requests.find((request) => matcher(request))
    if (seen !== undefined) return seen
    return await new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiters.delete(waiter)
        const what = matcher.label ?? "the matcher"
        reject(new Error(`No request fitted ${what} within ${timeoutMs} ms; ${this.requests.length} came`))
      }, timeoutMs)
      const waiter: Waiter = {
        matcher,
        resolve: (request) => {
          clearTimeout(timer)
          resolve(request)
        },
      }
      this.#waiters.add(waiter)
    })
  }

  clear(): void {
    this.requests.length = 0
    this.sideRequests.length = 0
    this.unexpected.length = 0
  }
}

function keep<T>(list: T[], item: T): void {
  list.push(item)
  if (list.length > LIMITS.recordedRequests) list.shift()
}

import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  HandlerContext,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from "acp-http-client"

type Params = RequestPermissionRequest | CreateElicitationRequest
type Result = RequestPermissionResponse | CreateElicitationResponse

interface Request {
  params: Params
  answer(result: Result): void
}

/** What the daemon asks its client, open until a scenario decides. The JSON-RPC id is that of the permission or question. */
export class Asked {
  readonly #open = new Map<string, Request>()
  readonly #wake = new Set<() => void>()

  /** The handler of every request. */
  take<R extends Result>(key: string, params: Params, { signal }: HandlerContext): Promise<R> {
    const decided = Promise.withResolvers<Result>()
    this.#open.set(key, { params, answer: decided.resolve })
    // Nobody wants the answer any more: what is sent then decides nothing.
    signal.addEventListener("abort", () => decided.resolve({ outcome: { outcome: "cancelled" } }))
    for (const wake of [...this.#wake]) wake()
    return decided.promise.finally(() => this.#open.delete(key)) as Promise<R>
  }

  /** A request, once it has come: the log may be read faster than the stream. */
  async of(key: string, signal: AbortSignal | undefined): Promise<Request> {
    for (;;) {
      const found = this.#open.get(key)
      if (found !== undefined) return found
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const late = () => reject(new Error(`the client was never asked ${key}: ${String(signal?.reason)}`))
      this.#wake.add(resolve)
      signal?.addEventListener("abort", late)
      try {
        await promise
      } finally {
        this.#wake.delete(resolve)
        signal?.removeEventListener("abort", late)
      }
    }
  }
}

/** The k-th of several questions that are asked one after the other. */
export const questionKey = (questionId: string, k: number): string => (k === 0 ? questionId : `${questionId}.${k}`)

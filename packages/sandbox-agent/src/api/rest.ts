import { segment } from "../http/address.ts"
import type { CallOptions, Http } from "../http/http.ts"
import type { AnswerOf, CreatedSession, ForkedSession, ForkSessionRequest, QueryOf } from "../types.ts"
import { session, UniversalApi } from "./universal.ts"

/** The whole API under the names of its operations; five of these are session calls on the client itself. */
export class Rest extends UniversalApi {
  readonly #http: Http

  /** @internal */
  constructor(http: Http) {
    super(http)
    this.#http = http
  }

  /** Newest first, by page. */
  listSessions(options: CallOptions & QueryOf<"listSessions"> = {}): Promise<AnswerOf<"listSessions">> {
    const { signal, timeoutMs, ...query } = options
    return this.#http.json({ what: "Listing sessions", method: "GET", path: "/v1/sessions", query, signal, timeoutMs })
  }
  listModels(agent: string, options?: CallOptions): Promise<AnswerOf<"listModels">> {
    const path = `/v1/agents/${segment(agent)}/models`
    return this.#http.json({ ...options, what: `Listing models of ${agent}`, method: "GET", path, slow: true })
  }
  /** Stops its process, withdraws what waits, cancels what is asked. */
  terminateSession(id: string, options?: CallOptions): Promise<AnswerOf<"terminateSession">> {
    return this.#post(`Ending session ${id}`, `${session(id)}/terminate`, {}, options)
  }
  /** Brings an ended session back. */
  resumeSession(id: string, options?: CallOptions): Promise<CreatedSession> {
    return this.#post(`Resuming session ${id}`, `${session(id)}/resume`, {}, options)
  }
  /** A new session from this one; with `agent`, of another agent, which is told of this one in a brief. */
  forkSession(id: string, request: ForkSessionRequest, options?: CallOptions): Promise<ForkedSession> {
    return this.#post(`Forking session ${id}`, `${session(id)}/fork`, request, options)
  }

  #post<T>(what: string, path: string, json: unknown, options?: CallOptions): Promise<T> {
    return this.#http.json({ ...options, what, method: "POST", path, json, slow: true })
  }
}

import { isObject, type JsonObject, objectAt, parseJson, stringAt } from "./json.ts"
import { LIMITS } from "./limits.ts"

const USER: JsonObject = {
  id: "user_scripted",
  email: "dev@example.com",
  emailVerified: true,
  username: "dev",
  features: [],
  team: null,
  mysteriousMessage: null,
}

const ANSWERS: Record<string, JsonObject | JsonObject[]> = {
  getUserInfo: USER,
  getUserFreeTierStatus: { canUseAmpFree: false, isDailyGrantEnabled: false },
  loadPlugins: [],
  listThreads: { threads: [] },
}

/** What Amp asks of the server it speaks to, beside the models: who its user is, and the threads that it keeps there. */
export class ThreadServer {
  readonly #threads = new Map<string, JsonObject>()
  /** The key of whoever asks is refused. */
  refusing = false

  /** Ids of the threads that were uploaded. */
  get threads(): string[] {
    return [...this.#threads.keys()]
  }

  forgetThreads(): void {
    this.#threads.clear()
  }

  /** `undefined`: no path of its. */
  answer(method: string, path: string, text: string): { status: number; body: JsonObject } | undefined {
    if (method !== "POST") return undefined
    if (path === "/api/telemetry") return { status: 200, body: {} }
    if (path !== "/api/internal") return undefined
    if (this.refusing) return { status: 401, body: failed("auth-required", "Unauthorized") }
    const body = parseJson(text)
    return { status: 200, body: this.#call(stringAt(body, "method") ?? "", objectAt(body, "params")) }
  }

  #call(method: string, params: JsonObject): JsonObject {
    if (method === "uploadThread" && isObject(params.thread)) this.#keep(params.thread)
    if (method !== "getThread") return { ok: true, result: ANSWERS[method] ?? {} }
    const id = stringAt(params, "thread") ?? ""
    const thread = this.#threads.get(id)
    return thread ? { ok: true, result: { thread: { id, data: thread } } } : failed("thread-not-found", "not found")
  }

  #keep(thread: JsonObject): void {
    this.#threads.set(stringAt(thread, "id") ?? "", thread)
    const [oldest] = this.#threads.keys()
    if (this.#threads.size > LIMITS.threads && oldest !== undefined) this.#threads.delete(oldest)
  }
}

const failed = (code: string, message: string): JsonObject => ({ ok: false, error: { code, message } })

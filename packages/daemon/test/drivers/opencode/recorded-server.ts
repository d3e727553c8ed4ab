import type { Server } from "bun"
import type { Exit } from "../../../src/core/driver-sink.ts"
import type { Child, SpawnOptions, Supervisor } from "../../../src/core/supervisor.ts"
import type { Entry } from "./transcripts.ts"

export interface Prompt {
  sessionID: string
  messageID: string
}

/** A server on the loopback that says what OpenCode said, where a process of ours would have been. */
export class RecordedServer {
  readonly prompts: Prompt[] = []
  /** Asked for an abort, and not answered yet. */
  readonly aborts: PromiseWithResolvers<void>[] = []
  /** What was answered to permissions and questions. */
  readonly replies: { path: string; body: unknown }[] = []
  /** What `POST /session` answers next. */
  readonly sessions: object[] = []
  readonly known = new Map<string, object>()
  /** What is read when the stream was broken. */
  readonly state: { status: object; permissions: object; questions: object; messages: object | undefined } = {
    status: {},
    permissions: [],
    questions: [],
    messages: undefined,
  }
  #server: Server<undefined> | undefined
  #options: SpawnOptions | undefined
  #stream: ReadableStreamDefaultController<Uint8Array> | undefined

  constructor(private readonly catalog: readonly Entry[]) {}

  readonly supervisor: Supervisor = {
    spawn: (options) => {
      this.#options = options
      this.#server = Bun.serve({
        hostname: "127.0.0.1",
        port: 0,
        idleTimeout: 0,
        fetch: (request) => this.#answer(request),
      })
      setTimeout(() => options.onLine(`opencode server listening on http://127.0.0.1:${this.#server?.port}`), 0)
      return this.#child()
    },
    environment: (_agent, given) => ({ ...given }),
    killOwner: async () => {},
    stopAll: async () => this.close(),
  }

  say(event: object): void {
    this.#stream?.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(this.#renamed(event))}\n\n`))
  }

  /** The stream breaks; resolves when it is read again. */
  async cut(): Promise<void> {
    const broken = this.#stream
    broken?.close()
    while (this.#stream === broken) await Bun.sleep(5)
  }

  /** As by SIGKILL. */
  async die(): Promise<void> {
    await this.close()
    this.#options?.onExit({ signal: "SIGKILL", stderr: { truncated: false } })
  }

  async close(): Promise<void> {
    await this.#server?.stop(true)
    this.#server = undefined
    this.#stream = undefined
  }

  #child(): Child {
    const end = async (): Promise<Exit> => {
      await this.close()
      return { code: 0 }
    }
    const exited = new Promise<Exit>(() => {})
    const still = { pid: 1, startedAt: 0, alive: true, exited, rssBytes: () => undefined }
    return { ...still, write: async () => {}, signal: () => {}, endInput: () => {}, stop: end, kill: end }
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    const [, kind, id = "", verb] = pathname.split("/")
    const route = `${request.method} ${pathname}`
    if (route === "GET /global/event") return this.#events()
    if (route === "POST /session") return this.#made()
    if (kind === "session" && id !== "status") return this.#session(request, id, verb)
    if (kind === "permission" || kind === "question") await this.#replied(request, pathname)
    if (request.method === "POST") return Response.json(true)
    if (pathname === "/session/status") return Response.json(this.state.status)
    if (pathname === "/permission") return Response.json(this.state.permissions)
    if (pathname === "/question") return Response.json(this.state.questions)
    const recorded = this.catalog.find((entry) => entry.kind === "response" && entry.path === pathname)
    return Response.json(recorded?.body ?? [])
  }

  async #replied(request: Request, path: string): Promise<void> {
    if (request.method !== "POST") return
    const body = await request.text()
    this.replies.push({ path, body: body === "" ? undefined : JSON.parse(body) })
  }

  /** Ids of messages then, and what they are now. */
  readonly names = new Map<string, string>()

  #renamed(value: object): object {
    let text = JSON.stringify(value)
    for (const [then, now] of this.names) text = text.replaceAll(then, now)
    return JSON.parse(text) as object
  }

  #made(): Response {
    const session = this.sessions.shift()
    if (session !== undefined && "id" in session) this.known.set(String(session.id), session)
    return session === undefined ? new Response(null, { status: 500 }) : Response.json(session)
  }

  async #session(request: Request, id: string, verb: string | undefined): Promise<Response> {
    if (verb === "prompt_async" || verb === "command") {
      const { messageID } = (await request.json()) as { messageID: string }
      this.prompts.push({ sessionID: id, messageID })
      return verb === "command" ? new Promise(() => {}) : new Response(null, { status: 204 })
    }
    if (verb === "message") return Response.json(this.#renamed(this.state.messages ?? []))
    if (verb !== "abort") return Response.json(this.known.get(id) ?? {})
    const asked = Promise.withResolvers<void>()
    this.aborts.push(asked)
    await asked.promise
    return Response.json(true)
  }

  #events(): Response {
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#stream = controller
        this.say({ payload: { type: "server.connected", properties: {} } })
      },
    })
    return new Response(stream, { headers: { "content-type": "text/event-stream" } })
  }
}

import { type ClientConnection, client, type SessionNotification } from "@agentclientprotocol/sdk"
import { createHttpStream } from "@agentclientprotocol/sdk/experimental/http-client"
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client"
import type { TestDaemon } from "../harness/daemon.ts"

export type Json = Record<string, unknown>
export type Transport = "http" | "websocket"

export interface SdkOptions {
  query?: string
  capabilities?: Json
  /** Answers to requests of the agent, by method; what is not here is never answered. */
  answers?: Record<string, (params: Json) => unknown>
}

/** Bun's own WebSocket takes headers in its second argument, the SDK gives them in the third. */
class HeaderSocket extends WebSocket {
  constructor(url: string, _protocols: unknown, options: { headers?: Record<string, string> } = {}) {
    super(url, options as unknown as string[])
  }
}

/** The official client, as its users have it, and all that it was told. */
export class SdkClient implements AsyncDisposable {
  readonly updates: SessionNotification[] = []
  readonly asked: { method: string; params: Json }[] = []
  readonly noticed: { method: string; params: Json }[] = []
  readonly cancelled: string[] = []
  readonly #connection: ClientConnection
  readonly #wake = new Set<() => void>()

  constructor(
    daemon: TestDaemon,
    transport: Transport,
    readonly options: SdkOptions = {},
  ) {
    const headers = { authorization: `Bearer ${daemon.token}` }
    const url = `${daemon.url}/v1/rpc${options.query ?? "?agent=mock"}`
    const stream =
      transport === "http"
        ? createHttpStream(url, { headers })
        : createWebSocketStream(url.replace(/^http/, "ws"), { headers, WebSocket: HeaderSocket as never })
    const asJson = (params: unknown) => params as Json
    const app = client({ name: "test" })
    for (const method of ["session/request_permission", "elicitation/create"])
      app.onRequest(method as "_any", asJson, ({ params, signal }) => this.#answer(method, params, signal) as never)
    app.onNotification("session/update" as "_any", asJson, ({ params }) => {
      this.updates.push(params as unknown as SessionNotification)
      this.#changed()
    })
    for (const method of ["_sandboxagent/session/ended", "_sandboxagent/agent/unparsed"])
      app.onNotification(method, asJson, ({ params }) => {
        this.noticed.push({ method, params })
        this.#changed()
      })
    this.#connection = app.connect(stream as never)
  }

  /** Any request, whether the SDK knows it or not. */
  ask<T = Json>(method: string, params: Json = {}): Promise<T> {
    return this.#connection.agent.request(method as "_any", params) as Promise<T>
  }

  tell(method: string, params: Json): Promise<void> {
    return this.#connection.agent.notify(method as "_any", params) as Promise<void>
  }

  initialize(): Promise<Json> {
    return this.ask("initialize", { protocolVersion: 1, clientCapabilities: this.options.capabilities ?? {} })
  }

  async begin(more: Json = {}): Promise<string> {
    await this.initialize()
    const { sessionId } = await this.ask<{ sessionId: string }>("session/new", { cwd: "/tmp", mcpServers: [], ...more })
    return sessionId
  }

  prompt(sessionId: string, text: string): Promise<Json & { stopReason?: string }> {
    return this.ask("session/prompt", { sessionId, prompt: [{ type: "text", text }] })
  }

  /** Everything the agent said in a session, in one piece. */
  said(sessionId: string, kind = "agent_message_chunk"): string {
    return this.updates
      .filter((one) => one.sessionId === sessionId && one.update.sessionUpdate === kind)
      .map(({ update }) =>
        "content" in update && update.content && "text" in update.content ? update.content.text : "",
      )
      .join("")
  }

  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.#wake.add(resolve))
  }

  async close(): Promise<void> {
    this.#connection.close()
    await this.#connection.closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #answer(method: string, params: Json, signal: AbortSignal): Promise<unknown> {
    this.asked.push({ method, params })
    this.#changed()
    const answer = this.options.answers?.[method]
    if (answer !== undefined) return answer(params)
    return new Promise((_, reject) => {
      signal.addEventListener("abort", () => {
        this.cancelled.push(method)
        this.#changed()
        reject(new Error("cancelled"))
      })
    })
  }

  #changed(): void {
    for (const wake of [...this.#wake]) wake()
    this.#wake.clear()
  }
}

/** The option of a kind, whatever its id. */
export const choose =
  (kind: string) =>
  (params: Json): Json => {
    const options = params.options as { optionId: string; kind: string; name: string }[]
    const option = options.find((one) => one.kind === kind || one.name === kind)
    return { outcome: { outcome: "selected", optionId: option?.optionId } }
  }

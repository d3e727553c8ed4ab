/** A message of JSON-RPC, as far as we look at it. */
export interface Message {
  jsonrpc: "2.0"
  id?: number | string
  method?: string
  params?: unknown
  result?: unknown
  error?: { message?: string }
}

/** How messages go to a server and come from it. */
export interface Transport {
  send(message: Message): Promise<void>
  close(): void
}

/** `lost`: nothing more comes, and why. */
export type Connect = (receive: (message: Message) => void, lost: (why: string) => void) => Promise<Transport>

interface Waiter {
  resolve(result: unknown): void
  reject(error: Error): void
}

/** One MCP server that speaks, and the requests it has yet to answer. */
class McpClient {
  readonly #waiting = new Map<number, Waiter>()
  #transport: Transport | undefined
  #next = 1
  #lost: Error | undefined
  /** It has other tools now. */
  changed: () => void = () => {}

  async open(connect: Connect): Promise<void> {
    this.#transport = await connect(
      (message) => this.#receive(message),
      (why) => this.#fail(new Error(why)),
    )
    await this.request("initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "sandbox-agent", version: "1" },
    })
    await this.#send({ jsonrpc: "2.0", method: "notifications/initialized" })
  }

  async request(method: string, params: object, signal?: AbortSignal): Promise<unknown> {
    if (this.#lost !== undefined) throw this.#lost
    signal?.throwIfAborted()
    const id = this.#next++
    const reply = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
    const abort = () => {
      this.#settle(id)?.reject(new Error("Operation aborted"))
      const notice = { jsonrpc: "2.0" as const, method: "notifications/cancelled", params: { requestId: id } }
      // One that is gone has nothing to cancel.
      this.#send(notice).catch(() => undefined)
    }
    signal?.addEventListener("abort", abort, { once: true })
    this.#send({ jsonrpc: "2.0", id, method, params }).catch((error: Error) => this.#settle(id)?.reject(error))
    return reply.finally(() => signal?.removeEventListener("abort", abort))
  }

  close(): void {
    this.#transport?.close()
    this.#fail(new Error("The MCP server was closed"))
  }

  async #send(message: Message): Promise<void> {
    await this.#transport?.send(message)
  }

  #settle(id: number): Waiter | undefined {
    const waiter = this.#waiting.get(id)
    this.#waiting.delete(id)
    return waiter
  }

  #receive({ id, method, result, error }: Message): void {
    if (method === undefined) {
      const waiter = this.#settle(Number(id))
      if (error === undefined) waiter?.resolve(result)
      else waiter?.reject(new Error(error.message ?? "The MCP server refused"))
    } else if (method === "notifications/tools/list_changed") this.changed()
    else if (id !== undefined) this.#answer(id, method)
  }

  /** Of what a server may ask us for we declared nothing. */
  #answer(id: number | string, method: string): void {
    const answer = method === "ping" ? { result: {} } : { error: { code: -32601, message: `no method ${method}` } }
    // One that is gone waits for no answer.
    this.#send({ jsonrpc: "2.0", id, ...answer }).catch(() => undefined)
  }

  #fail(error: Error): void {
    this.#lost ??= error
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}

export default McpClient

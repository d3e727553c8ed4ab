import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { type AddressInfo, connect } from "node:net"
import type { Duplex } from "node:stream"
import type { Fetch, SocketMaker } from "../../src/sandbox-agent.ts"
import { LocalMachine } from "./local-machine.ts"

export interface Asked {
  method: string
  path: string
  headers: IncomingMessage["headers"]
  body: Buffer
}

/** What a vendor's API answers: a status with JSON, or whatever is written by hand. */
export type Answering = (asked: Asked, response: ServerResponse) => void | Promise<void>

export function json(response: ServerResponse, status: number, value?: unknown): void {
  response.writeHead(status, { "content-type": "application/json" })
  response.end(value === undefined ? undefined : JSON.stringify(value))
}

/**
 * The API of a vendor of sandboxes on loopback, as far as its package uses it. A sandbox is a home and processes on this machine; the
 * names that the vendor would serve lead to its ports.
 */
export abstract class VendorEdge implements AsyncDisposable {
  static readonly key = "the-right-key"
  readonly asked: Asked[] = []
  readonly machines = new Map<string, LocalMachine>()
  readonly ended: string[] = []
  /** Held back until it is resolved: making a sandbox. */
  hold: Promise<void> | undefined
  /** Nothing can be removed: requests that would are refused. */
  keepsAll = false
  readonly #server = createServer((request, response) => void this.#serve(request, response))
  #made = 0

  async listen(): Promise<this> {
    this.#server.on("upgrade", (request, socket) => this.#upgrade(request, socket))
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve))
    return this
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get running(): string[] {
    return [...this.machines.keys()]
  }

  async make(prefix: string, id = `${prefix}${++this.#made}`): Promise<string> {
    await this.hold
    this.machines.set(id, new LocalMachine())
    return id
  }

  end(id: string): void {
    this.ended.push(id)
    this.machines.get(id)?.remove()
    this.machines.delete(id)
  }

  /** What the network of the vendor does: the name of a sandbox and its port lead into it, while it runs. */
  readonly fetch: Fetch = (url, init) => {
    const { host, pathname, search } = new URL(url)
    const [id, port] = this.sandboxAndPortOf(host)
    if (!this.machines.has(id)) return Promise.resolve(new Response("the sandbox was not found", { status: 502 }))
    const [name = "", value] = this.proxyKey ?? []
    if (value !== undefined && new Headers(init?.headers).get(name) !== value)
      return Promise.resolve(new Response("a key of the sandbox is missing", { status: 403 }))
    return fetch(`http://127.0.0.1:${port}${pathname}${search}`, init)
  }

  /** The same for a WebSocket: it goes to a proxy that asks for the key. */
  readonly WebSocket: SocketMaker = ((edge) =>
    class {
      constructor(url: string, options: { headers: Record<string, string> }) {
        const { host, pathname, search } = new URL(url)
        const at = `${edge.url.replace("http", "ws")}/to/${host}${pathname}${search}`
        // biome-ignore lint/correctness/noConstructorReturn: a WebSocket of the runtime, somewhere else
        return new WebSocket(at, options as never)
      }
    } as unknown as SocketMaker)(this)

  #upgrade({ url = "", headers, rawHeaders }: IncomingMessage, socket: Duplex): void {
    const [, host = "", path = ""] = /^\/to\/([^/]+)(.*)$/.exec(url) ?? []
    const [name = "", value] = this.proxyKey ?? []
    const [id, port] = this.sandboxAndPortOf(host)
    if (!this.machines.has(id) || (value !== undefined && headers[name] !== value)) {
      socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n")
      return
    }
    const onward = connect(Number(port), "127.0.0.1")
    const lines = rawHeaders.flatMap((word, i) => (i % 2 === 0 ? [`${word}: ${rawHeaders[i + 1]}`] : []))
    onward.write(`GET ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`)
    onward.on("error", () => socket.destroy())
    socket.on("error", () => onward.destroy())
    onward.pipe(socket).pipe(onward)
  }

  /** What the vendor's proxy asks for. */
  protected readonly proxyKey: [name: string, value: string] | undefined
  protected abstract sandboxAndPortOf(host: string): [id: string, port: string]
  protected abstract answer: Answering

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = "", url = "", headers } = request
    const asked = { method, path: url, headers, body: Buffer.concat(chunks) }
    this.asked.push(asked)
    if (this.keepsAll && method === "DELETE") return json(response, 500, { message: "not now", statusCode: 500 })
    try {
      await this.answer(asked, response)
    } catch (error) {
      json(response, 500, { message: String(error) })
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const id of this.running) this.end(id)
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

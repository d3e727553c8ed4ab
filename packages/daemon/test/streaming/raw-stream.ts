import { connect, type Socket } from "node:net"
import { expect } from "vitest"
import type { TestDaemon } from "../harness/daemon.ts"

/** One event stream on a bare socket: what arrived, byte for byte, without a client's own buffering or retries. */
export class RawStream {
  readonly #socket: Socket
  readonly #chunks: Buffer[] = []
  readonly closed: Promise<void>
  readonly #wake = new Set<() => void>()
  readonly #head: string
  #ended = false

  constructor(daemon: TestDaemon, path: string, headers: Record<string, string> = {}) {
    const { hostname, port } = new URL(daemon.url)
    this.#socket = connect(Number(port), hostname)
    const lines = Object.entries({ host: "127.0.0.1", authorization: `Bearer ${daemon.token}`, ...headers })
    this.#head = ` HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`
    this.ask(path)
    this.#socket.on("data", (chunk) => {
      this.#chunks.push(Buffer.from(chunk))
      this.#notify()
    })
    this.#socket.on("error", () => {})
    this.closed = new Promise((resolve) => {
      this.#socket.on("close", () => {
        this.#ended = true
        this.#notify()
        resolve()
      })
    })
  }

  /** All that came, as text, the chunk sizes of HTTP included. */
  get text(): string {
    return Buffer.concat(this.#chunks).toString()
  }

  get status(): number {
    return Number(/^HTTP\/1\.1 (\d+)/.exec(this.text)?.[1])
  }

  /** Waits for bytes until the text fulfils the condition. */
  async until(condition: (text: string) => boolean): Promise<string> {
    for (;;) {
      const { text } = this
      if (condition(text)) return text
      if (this.#ended) throw new Error(`the connection closed after ${JSON.stringify(text.slice(-300))}`)
      await new Promise<void>((resolve) => this.#wake.add(resolve))
    }
  }

  /** Takes nothing any more. */
  pause(): void {
    this.#socket.pause()
  }

  /** Also once more on the same connection. */
  ask(path: string): void {
    this.#chunks.length = 0
    this.#socket.write(`GET ${path}${this.#head}`)
  }

  close(): void {
    this.#socket.destroy()
  }

  #notify(): void {
    for (const wake of this.#wake) wake()
    this.#wake.clear()
  }
}

export async function metric(daemon: TestDaemon, name: string): Promise<number> {
  const { body } = await daemon.api.call<string>("GET", "/metrics")
  return Number(new RegExp(`^sandbox_agent_${name} (\\S+)$`, "m").exec(body)?.[1])
}

/** Polls a figure; nothing announces that a socket was noticed to be gone. `timeout`: of tests that have more time than most. */
export async function metricBecomes(daemon: TestDaemon, name: string, wanted: number, timeout = 50_000): Promise<void> {
  await expect.poll(() => metric(daemon, name), { timeout, message: name }).toBe(wanted)
}

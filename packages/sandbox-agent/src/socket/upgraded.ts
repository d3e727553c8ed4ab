import type { Socket } from "./socket-maker.ts"

/** What an answer to an upgrade has in a Worker. */
interface WorkerSocket {
  binaryType?: string
  accept(): void
  send(data: string | Uint8Array<ArrayBuffer>): void
  close(code?: number): void
  addEventListener(type: string, listener: (event: never) => void): void
}

/** A WebSocket that comes of a request, as those of Workers do: with headers, or from a sandbox that no network leads to. */
export class UpgradedSocket implements Socket {
  binaryType = "arraybuffer"
  readyState = 0
  onopen: Socket["onopen"] = null
  onmessage: Socket["onmessage"] = null
  onclose: Socket["onclose"] = null
  onerror: Socket["onerror"] = null
  #inner: WorkerSocket | undefined

  constructor(ask: () => Promise<Response>) {
    ask().then(
      (response) => this.#take(response),
      () => this.#ended(1006),
    )
  }

  send(data: string | Uint8Array<ArrayBuffer>): void {
    this.#inner?.send(data)
  }

  close(code?: number): void {
    if (this.readyState === 3) return
    this.readyState = 2
    if (this.#inner === undefined) return
    this.#inner.close(code)
    this.#ended(code ?? 1005)
  }

  #take(response: Response): void {
    const { webSocket } = response as Response & { webSocket?: WorkerSocket | null }
    if (!webSocket) return this.#ended(1006)
    webSocket.accept()
    if ("binaryType" in webSocket) webSocket.binaryType = this.binaryType
    this.#inner = webSocket
    webSocket.addEventListener("message", ({ data }: { data: unknown }) => this.onmessage?.({ data }))
    webSocket.addEventListener("close", ({ code }: { code: number }) => this.#ended(code))
    webSocket.addEventListener("error", (event: never) => this.onerror?.(event))
    // Closed while it was waited for.
    if (this.readyState === 2) {
      webSocket.close(1000)
      return this.#ended(1000)
    }
    this.readyState = 1
    this.onopen?.(undefined as never)
  }

  #ended(code: number): void {
    if (this.readyState === 3) return
    this.readyState = 3
    this.onclose?.({ code })
  }
}

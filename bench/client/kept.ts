import { ResponseBody } from "./body.ts"
import { rawRequest } from "./request.ts"

export interface Answered {
  status: number
  text: string
  header(name: string): string | undefined
}

/** One kept connection on a raw socket, one request at a time: as little client as can be in a round trip. */
export class KeptConnection {
  #body: ResponseBody | undefined
  #waits: PromiseWithResolvers<Answered> | undefined
  #text = ""

  private constructor(
    readonly port: number,
    readonly token: string | undefined,
  ) {}

  static async open(port: number, token: string | undefined): Promise<KeptConnection> {
    const kept = new KeptConnection(port, token)
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: {
        data: (_, bytes) => kept.#take(bytes),
        close: () => kept.#waits?.reject(new Error("the connection was closed before it answered")),
      },
    })
    kept.#write = (text) => socket.write(text)
    kept.close = () => socket.end()
    return kept
  }

  #write: (text: string) => void = () => {}
  close: () => void = () => {}

  ask(method: string, path: string, headers: string[] = [], body = ""): Promise<Answered> {
    if (this.#waits !== undefined) throw new Error("one request at a time")
    const length = `Content-Length: ${Buffer.byteLength(body)}`
    const typed = body === "" ? headers : ["Content-Type: application/json", length, ...headers]
    this.#waits = Promise.withResolvers()
    this.#text = ""
    this.#body = new ResponseBody((bytes, start, end) => {
      this.#text += bytes.toString("utf8", start, end)
    })
    this.#write(rawRequest(method, path, this.port, this.token, typed) + body)
    return this.#waits.promise
  }

  #take(bytes: Buffer): void {
    const body = this.#body
    body?.push(bytes)
    if (!body?.ended) return
    const waits = this.#waits
    this.#waits = undefined
    waits?.resolve({ status: body.status, text: this.#text, header: (name) => body.header(name) })
  }
}

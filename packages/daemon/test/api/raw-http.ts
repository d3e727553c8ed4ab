import { connect } from "node:net"
import type { Answer } from "../harness/api.ts"

/** One request written to the socket as it is, for what `fetch` would correct or refuse. */
export function rawRequest(url: string, bytes: string | Uint8Array): Promise<Answer<unknown>> {
  const { hostname, port } = new URL(url)
  const bodiless = Buffer.from(bytes).subarray(0, 5).toString() === "HEAD "
  return new Promise((resolve, reject) => {
    const received: Buffer[] = []
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    const done = () => {
      socket.destroy()
      const answer = parse(Buffer.concat(received).toString("latin1"), bodiless)
      if (answer === undefined) reject(new Error("the connection was closed without an answer"))
      else resolve(answer)
    }
    socket.on("data", (chunk) => {
      received.push(Buffer.from(chunk))
      if (parse(Buffer.concat(received).toString("latin1"), bodiless) !== undefined) done()
    })
    socket.on("error", done)
    socket.on("close", done)
  })
}

export interface RawParts {
  method?: string
  path: string
  headers?: Record<string, string>
  body?: string
}

/** A whole HTTP/1.1 request with exactly these headers. */
export function rawHttp(url: string, { method = "GET", path, headers = {}, body }: RawParts): Promise<Answer<unknown>> {
  const all: Record<string, string> = { host: new URL(url).host, ...headers }
  if (body !== undefined) all["content-length"] = String(Buffer.byteLength(body))
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return rawRequest(url, `${method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body ?? ""}`)
}

/** The response, once it is whole; enough of HTTP for answers with a length. */
function parse(text: string, bodiless: boolean): Answer<unknown> | undefined {
  const end = text.indexOf("\r\n\r\n")
  if (end < 0) return undefined
  const [first = "", ...lines] = text.slice(0, end).split("\r\n")
  const headers = new Headers(lines.map((line) => line.split(/: ?(.*)/s).slice(0, 2) as [string, string]))
  const status = Number(first.split(" ")[1])
  const length = Number(headers.get("content-length") ?? 0)
  const body = text.slice(end + 4)
  if (body.length < length && !bodiless) return undefined
  const json = /json/.test(headers.get("content-type") ?? "") && body !== ""
  return { status, headers, body: json ? JSON.parse(Buffer.from(body, "latin1").toString("utf8")) : body }
}

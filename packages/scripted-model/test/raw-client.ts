import { connect } from "node:net"
import type { JsonObject } from "../src/json.ts"
import { parseSse, type SseEvent } from "./client.ts"

export interface RawAnswer {
  text: string
  events: SseEvent[]
  broken: boolean
}

/** Posts over a bare socket: Bun's fetch throws away what it has not handed out when the connection breaks. */
export async function rawPost(url: string, body: JsonObject): Promise<RawAnswer> {
  const { hostname, port, pathname } = new URL(url)
  const content = Buffer.from(JSON.stringify(body))
  const head = [`POST ${pathname} HTTP/1.1`, "host: x", "connection: close", `content-length: ${content.length}`]
  const received: Buffer[] = []
  await new Promise<void>((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(`${head.join("\r\n")}\r\n\r\n`)
      socket.write(content)
    })
    socket.on("data", (chunk: Buffer) => received.push(chunk))
    socket.on("error", () => {})
    socket.on("close", () => resolve())
  })
  return readAnswer(Buffer.concat(received))
}

function readAnswer(bytes: Buffer): RawAnswer {
  const split = bytes.indexOf("\r\n\r\n")
  const head = bytes.subarray(0, split).toString().toLowerCase()
  const body = bytes.subarray(split + 4)
  const length = /content-length: (\d+)/.exec(head)?.[1]
  if (length !== undefined) return { text: body.toString(), events: [], broken: body.length < Number(length) }
  const { content, ended } = unchunk(body)
  return { text: content, events: parseSse(content), broken: !ended }
}

function unchunk(body: Buffer): { content: string; ended: boolean } {
  const chunks: Buffer[] = []
  let at = 0
  while (at < body.length) {
    const lineEnd = body.indexOf("\r\n", at)
    const size = Number.parseInt(body.subarray(at, lineEnd).toString(), 16)
    if (size === 0) return { content: Buffer.concat(chunks).toString(), ended: true }
    chunks.push(body.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 2 + size + 2
  }
  return { content: Buffer.concat(chunks).toString(), ended: false }
}

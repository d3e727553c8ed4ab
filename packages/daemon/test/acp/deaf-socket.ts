import { randomBytes } from "node:crypto"
import { connect, type Socket } from "node:net"
import { onTestFinished } from "vitest"

/** A text frame of a client: masked, as the protocol wants. */
function frame(text: string): Buffer {
  const payload = Buffer.from(text)
  const size = payload.length < 126 ? [0x80 | payload.length] : [0x80 | 126, payload.length >> 8, payload.length & 255]
  // A mask of zeros changes nothing and is one all the same.
  return Buffer.concat([Buffer.from([0x81, ...size, 0, 0, 0, 0]), payload])
}

/** A WebSocket whose client speaks and never listens: from its first frames on nothing is taken from its socket. */
export async function deafSocket(daemon: { url: string; token: string }, path = "/v1/rpc?agent=mock") {
  const { hostname, port } = new URL(daemon.url)
  const socket: Socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  const head = [
    `GET ${path} HTTP/1.1`,
    `host: ${hostname}:${port}`,
    `authorization: Bearer ${daemon.token}`,
    "upgrade: websocket",
    "connection: upgrade",
    "sec-websocket-version: 13",
    `sec-websocket-key: ${randomBytes(16).toString("base64")}`,
  ]
  socket.write(`${head.join("\r\n")}\r\n\r\n`)
  socket.on("error", () => {}) // the daemon may close it while it is written to
  await new Promise<void>((resolve) => socket.once("data", () => resolve()))
  socket.pause()
  return {
    /** Many at once; resolves when the kernel has them. */
    say(texts: readonly string[]): Promise<void> {
      const all = Buffer.concat(texts.map(frame))
      return new Promise((resolve) => socket.write(all, () => resolve()))
    },
  }
}

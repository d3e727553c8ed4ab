import { limits } from "@sandbox-agent/schema/limits"
import type { Server, ServerWebSocket, WebSocketHandler } from "bun"

/** What a face does with a WebSocket of its own. */
export interface SocketEnd {
  opened(socket: Socket): void
  received(text: string): void
  /** Where binary frames mean something. */
  receivedBytes?(bytes: Uint8Array): void
  /** Its client has taken what was waiting. */
  drained(): void
  /** With the code it was closed by. */
  closed(code: number): void
}

export type Socket = ServerWebSocket<SocketEnd>

/** Turns a request into a WebSocket; `false` when it cannot be one. */
export type Upgrade = (request: Request, end: SocketEnd, headers?: Record<string, string>) => boolean

export const upgradeOn =
  (server: Server<SocketEnd>): Upgrade =>
  (request, data, headers) =>
    server.upgrade(request, { data, headers })

/** Sockets open now. */
const sockets = new Set<Socket>()

/** How many there are, and the bytes that their clients have not taken. */
export function socketFigures(): { open: number; bytes: number } {
  let bytes = 0
  for (const socket of sockets) bytes += socket.getBufferedAmount()
  return { open: sockets.size, bytes }
}

/** One handler for all sockets of the daemon: each knows its own end. */
export const socketHandler: WebSocketHandler<SocketEnd> = {
  maxPayloadLength: limits.requestBodyBytes,
  idleTimeout: limits.stalledReaderSeconds,
  // What waits is bounded by whoever sends; nothing may be dropped in silence.
  backpressureLimit: 2 ** 31 - 1,
  open: (socket) => {
    sockets.add(socket)
    socket.data.opened(socket)
  },
  message: (socket, message) => {
    if (typeof message === "string") socket.data.received(message)
    else socket.data.receivedBytes?.(message)
  },
  drain: (socket) => socket.data.drained(),
  close: (socket, code) => {
    sockets.delete(socket)
    socket.data.closed(code)
  },
}

import type { SocketMaker } from "./socket-maker.ts"

/** That of the runtime; Node has one from version 22 on. */
export async function socketMaker(): Promise<SocketMaker> {
  const { WebSocket } = globalThis
  return (WebSocket as SocketMaker | undefined) ?? (await import("ws")).WebSocket
}

import { type MadeSocket, type SocketMaker, socketWith } from "./socket-maker.ts"

/** That of the runtime; Node has one from version 22 on. With headers that of `ws`, and of Bun, whose own takes them. */
export async function openSocket(url: string, headers: Record<string, string>): Promise<MadeSocket> {
  const own = globalThis.WebSocket as SocketMaker | undefined
  const isEnough = own !== undefined && (Object.keys(headers).length === 0 || "bun" in process.versions)
  return socketWith(isEnough ? own : (await import("ws")).WebSocket, url, headers)
}

import { SandboxAgentError } from "../errors.ts"
import { type MadeSocket, type SocketMaker, socketWith } from "./socket-maker.ts"
import { UpgradedSocket } from "./upgraded.ts"

/** The WebSocket of the runtime, which sends no headers. A Worker has another way to open one, which does. */
export function openSocket(url: string, headers: Record<string, string>): Promise<MadeSocket> {
  const names = Object.keys(headers)
  if (names.length > 0 && "WebSocketPair" in globalThis) {
    const asked = { headers: { ...headers, upgrade: "websocket" } }
    const socket = new UpgradedSocket(() => fetch(url.replace(/^ws/, "http"), asked))
    return Promise.resolve({ socket, unsent: [] })
  }
  const { WebSocket } = globalThis
  if (WebSocket !== undefined)
    return Promise.resolve({ ...socketWith(WebSocket as SocketMaker, url, {}), unsent: names })
  return Promise.reject(
    new SandboxAgentError("argument", "There is no WebSocket here: give one with the option `WebSocket`"),
  )
}

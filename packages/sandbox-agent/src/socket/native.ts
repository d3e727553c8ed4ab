import { SandboxAgentError } from "../errors.ts"
import type { SocketMaker } from "./socket-maker.ts"

/** The WebSocket of the runtime. */
export function socketMaker(): Promise<SocketMaker> {
  const { WebSocket } = globalThis
  if (WebSocket !== undefined) return Promise.resolve(WebSocket as SocketMaker)
  return Promise.reject(
    new SandboxAgentError("argument", "There is no WebSocket here: give one with the option `WebSocket`"),
  )
}

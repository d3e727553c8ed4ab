import { readFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { onTestFinished } from "vitest"
import type { TestDaemon } from "../harness/daemon.ts"

/** The most memory the daemon ever had. */
export const peak = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]) * 1024

export interface Asked {
  method?: string
  path: string
  body?: object
}

/** Clients that ask for something and take nothing of the answer. */
export async function deafClients(daemon: TestDaemon, count: number, { method = "GET", path, body }: Asked) {
  const text = body === undefined ? "" : JSON.stringify(body)
  const type = body === undefined ? "" : `content-type: application/json\r\ncontent-length: ${text.length}\r\n`
  const head = `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${daemon.token}\r\n${type}\r\n`
  const { hostname, port } = new URL(daemon.url)
  const sockets: Socket[] = []
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  for (let i = 0; i < count; i++) {
    const socket = connect(Number(port), hostname)
    sockets.push(socket)
    socket.on("error", () => {}) // cut off in the end, as it deserves
    socket.pause()
    await new Promise<void>((resolve) => socket.write(head + text, () => resolve()))
  }
  return sockets
}

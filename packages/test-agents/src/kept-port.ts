import { existsSync, readFileSync } from "node:fs"
import { createServer } from "node:net"

const range = "/proc/sys/net/ipv4/ip_local_port_range"
const FIRST = 10_000

/**
 * A free port for a server that is started on it more than once: none of those that the kernel gives to connections, so
 * that nobody has it while the server is away.
 */
export async function keptPort(): Promise<number> {
  const end = existsSync(range) ? Number.parseInt(readFileSync(range, "utf8"), 10) : 49_152
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (end - FIRST))
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })
}

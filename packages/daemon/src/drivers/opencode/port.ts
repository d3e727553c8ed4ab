import { createServer } from "node:net"

/** Where our servers listen, so that they are known among the ports of a sandbox. */
const FIRST = 4200
const LAST = 4300

/** A port that is free now: of our range, else any. Whoever takes it first has it; then the next one is tried. */
export async function freePort(tried: ReadonlySet<number>): Promise<number> {
  const count = LAST - FIRST + 1
  const start = Math.floor(Math.random() * count)
  for (let i = 0; i < count; i++) {
    const port = FIRST + ((start + i) % count)
    if (!tried.has(port) && (await listensOn(port)) !== undefined) return port
  }
  const any = await listensOn(0)
  if (any === undefined) throw new Error("there is no free port on the loopback")
  return any
}

/** Somebody listens there, whoever it is. */
export const isTaken = async (port: number): Promise<boolean> => (await listensOn(port)) === undefined

function listensOn(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(undefined))
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => {
      const address = server.address()
      const found = typeof address === "object" && address !== null ? address.port : undefined
      server.close(() => resolve(found))
    })
  })
}

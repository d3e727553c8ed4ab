import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http"

export interface Seen {
  method: string
  path: string
  query: URLSearchParams
}

export type Turn = (
  seen: Seen,
  answer: ServerResponse,
  pass: (count?: (bytes: number) => void) => void,
  incoming: IncomingMessage,
) => void

/** What stands in front of a daemon: sees every request, and passes it on or does with it what a test wants. */
export async function startFront(target: string, turn: Turn = (_, __, pass) => pass()) {
  const seen: Seen[] = []
  const server = createServer((incoming, answer) => {
    const url = new URL(incoming.url ?? "/", target)
    const one = { method: incoming.method ?? "", path: url.pathname, query: url.searchParams }
    seen.push(one)
    const pass = (count?: (bytes: number) => void) => {
      const onward = request(url, { method: incoming.method, headers: incoming.headers }, (got) => {
        if (!answer.destroyed) answer.writeHead(got.statusCode ?? 500, got.headers)
        // What is taken from the daemon, which is no more than the client takes.
        got.on("data", (chunk: Uint8Array) => {
          count?.(chunk.length)
          if (!answer.write(chunk)) got.pause()
        })
        answer.on("drain", () => got.resume())
        got.on("end", () => answer.end())
        got.on("error", () => answer.destroy())
      })
      onward.on("error", () => answer.destroy())
      answer.on("close", () => onward.destroy())
      incoming.pipe(onward)
    }
    turn(one, answer, pass, incoming)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" ? (address?.port ?? 0) : 0
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  return { baseUrl: `http://127.0.0.1:${port}`, seen, stop, [Symbol.dispose]: stop }
}

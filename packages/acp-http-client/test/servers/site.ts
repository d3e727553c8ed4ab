import { readFileSync } from "node:fs"
import { createServer, request } from "node:http"

/** A page's own server: the page, the built package, and `/acp`, passed on to where the agent is. */
export async function startSite(files: Record<string, string>, agent: string) {
  const streams = new Set<() => void>()
  const server = createServer((incoming, response) => {
    const path = incoming.url ?? "/"
    if (path === "/cut") {
      for (const cut of streams) cut()
      streams.clear()
      return response.end("cut")
    }
    const file = files[path]
    if (file !== undefined) {
      response.setHeader("content-type", path.endsWith(".js") ? "text/javascript" : "text/html")
      return response.end(readFileSync(file))
    }
    const { method, headers } = incoming
    const onwards = request(agent, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      response.flushHeaders()
      answer.pipe(response)
    })
    // Either end may go at any time: the other goes with it.
    onwards.on("error", () => response.destroy())
    response.on("close", () => onwards.destroy())
    incoming.pipe(onwards)
    if (method === "GET")
      streams.add(() => {
        onwards.destroy()
        incoming.socket.destroy()
      })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

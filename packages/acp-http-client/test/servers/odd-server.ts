import { createServer, type IncomingMessage, type ServerResponse } from "node:http"

export interface OddServer {
  url: string
  /** Method and JSON-RPC method of what came. */
  seen: string[]
  stop(): void
}

export type Odd = (request: IncomingMessage, response: ServerResponse, body: string) => unknown

/** Official as far as `initialize` and open streams go; `odd` decides first, and answers by returning anything but undefined. */
export async function startOddServer(odd: Odd): Promise<OddServer> {
  const seen: string[] = []
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (chunk) => {
      body += chunk
    })
    request.on("end", () => {
      const method = body === "" ? "" : (JSON.parse(body).method ?? "answer")
      seen.push(`${request.method} ${method}`.trim())
      if (odd(request, response, body) !== undefined) return
      if (method === "initialize") return answer(response, body, { protocolVersion: 1 }, { "acp-connection-id": "c1" })
      if (request.method === "GET") {
        response.writeHead(200, { "content-type": "text/event-stream" })
        return response.write(":\n\n")
      }
      response.writeHead(202).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/acp`,
    seen,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

export function answer(response: ServerResponse, body: string, result: unknown, headers: Record<string, string> = {}) {
  response.writeHead(200, { "content-type": "application/json", ...headers })
  response.end(JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(body).id, result }))
  return true
}

/** An MCP server over HTTP, by its streams of today and of yesterday: it only tells who came, and with which header. */
export function mcpOverHttp() {
  const seen: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      seen.push(`${request.method} ${pathname} ${request.headers.get("x-mark")}`)
      if (request.method === "GET" && pathname === "/sse")
        return new Response(new ReadableStream({ start: (to) => to.enqueue("event: endpoint\ndata: /message\n\n") }), {
          headers: { "content-type": "text/event-stream" },
        })
      if (request.method !== "POST" || pathname !== "/mcp") return new Response(null, { status: 405 })
      const { id, method, params } = (await request.json()) as { id?: number; method: string; params?: object }
      if (id === undefined) return new Response(null, { status: 202 })
      return Response.json({ jsonrpc: "2.0", id, result: answers[method]?.(params) ?? {} })
    },
  })
  const at = (path: string) => ({ url: `http://127.0.0.1:${server.port}${path}`, headers: { "x-mark": "zebra" } })
  return { seen, at, stop: () => server.stop(true) }
}

const answers: Record<string, (params?: object) => object> = {
  initialize: (params) => ({
    protocolVersion: (params as { protocolVersion: string }).protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "web", version: "1" },
  }),
  "tools/list": () => ({ tools: [] }),
}

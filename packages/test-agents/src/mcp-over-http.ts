/** An MCP server over HTTP, by its streams of today and of yesterday, with one tool, `ping`. It tells who came, and with which header. */
export function mcpOverHttp() {
  const seen: string[] = []
  const streams: ReadableStreamDefaultController<string>[] = []
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      const { method: verb } = request
      seen.push(`${verb} ${pathname} ${request.headers.get("x-mark")}`)
      if (verb === "GET" && pathname === "/sse") return eventStream(streams)
      if (verb !== "POST" || !["/mcp", "/message"].includes(pathname)) return new Response(null, { status: 405 })
      const { id, method, params } = (await request.json()) as { id?: number; method: string; params?: object }
      seen.push(method)
      if (id === undefined) return new Response(null, { status: 202 })
      const answer = { jsonrpc: "2.0", id, result: answers[method]?.(params) ?? {} }
      if (pathname === "/mcp") return Response.json(answer)
      streams.at(-1)?.enqueue(`event: message\ndata: ${JSON.stringify(answer)}\n\n`)
      return new Response(null, { status: 202 })
    },
  })
  const at = (path: string) => ({ url: `http://127.0.0.1:${server.port}${path}`, headers: { "x-mark": "zebra" } })
  return { seen, at, stop: () => server.stop(true) }
}

function eventStream(streams: ReadableStreamDefaultController<string>[]): Response {
  const body = new ReadableStream<string>({
    start(stream) {
      streams.push(stream)
      stream.enqueue("event: endpoint\ndata: /message\n\n")
    },
  })
  return new Response(body, { headers: { "content-type": "text/event-stream" } })
}

const answers: Record<string, (params?: object) => object> = {
  initialize: (params) => ({
    protocolVersion: (params as { protocolVersion: string }).protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "web", version: "1" },
  }),
  "tools/list": () => ({
    tools: [{ name: "ping", description: "Answers pong", inputSchema: { type: "object", properties: {} } }],
  }),
  "tools/call": () => ({ content: [{ type: "text", text: "pong" }] }),
}

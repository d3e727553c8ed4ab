import { request as ask, createServer, type IncomingMessage } from "node:http"
import { type AddressInfo, connect } from "node:net"

export const proxyHeaders = { "x-proxy-key": "let me through" }

const isLetThrough = ({ headers }: IncomingMessage): boolean => headers["x-proxy-key"] === proxyHeaders["x-proxy-key"]

/** What a provider has in front of its sandboxes: requests and WebSockets get through with a header of its own. */
export async function startKeyedProxy(to: string): Promise<{ url: string; stop(): void }> {
  const { hostname, port } = new URL(to)
  const server = createServer((request, answer) => {
    const { method, url, headers } = request
    if (method === "OPTIONS") {
      const { origin = "", "access-control-request-headers": asked = "" } = headers
      return answer
        .writeHead(204, {
          "access-control-allow-origin": origin,
          "access-control-allow-headers": asked,
          "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
        })
        .end()
    }
    if (!isLetThrough(request)) return answer.writeHead(403).end("a key is missing")
    const onward = ask({ hostname, port, method, path: url, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers)
      answered.pipe(answer)
    })
    onward.on("error", () => answer.destroy())
    request.pipe(onward)
  })
  server.on("upgrade", (request, socket) => {
    socket.on("error", () => socket.destroy())
    if (!isLetThrough(request)) return socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n")
    const onward = connect(Number(port), hostname)
    const { rawHeaders, url } = request
    const lines = rawHeaders.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${rawHeaders[i + 1]}`] : []))
    onward.on("error", () => socket.destroy())
    onward.write(`GET ${url} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`)
    onward.pipe(socket).pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop }
}

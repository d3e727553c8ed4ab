import type { LineSink, SessionSink } from "../../core/driver-sink.ts"
import type { Client } from "./client.ts"

/** MCP servers that do not work. OpenCode says nothing of them by itself, and answers when it has tried to start each. */
export async function reportBrokenServers(
  client: Client,
  directory: string,
  sink: LineSink & SessionSink,
): Promise<void> {
  const servers = await client.call("GET /mcp", { params: { directory } }, false)
  const broken = Object.entries(servers).flatMap(([name, server]) => {
    if (server.status === "failed" || server.status === "needs_client_registration")
      return [[name, server.error] as const]
    return server.status === "needs_auth" ? [[name, "it wants a login"] as const] : []
  })
  if (broken.length === 0) return
  sink.line(JSON.stringify({ "GET /mcp": servers }), () => {
    for (const [name, reason] of broken) sink.mcpFailed(name, reason)
  })
}

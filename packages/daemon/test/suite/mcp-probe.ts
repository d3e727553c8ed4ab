/** The least MCP server: one tool, `ping`, over stdio. Started by the agent under test. */
import { createInterface } from "node:readline"

interface Call {
  id?: number | string
  method: string
  params?: { protocolVersion?: string }
}

const answers: Record<string, (call: Call) => unknown> = {
  initialize: ({ params }) => ({
    protocolVersion: params?.protocolVersion ?? "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "probe", version: "1.0.0" },
  }),
  ping: () => ({}),
  "tools/list": () => ({
    tools: [{ name: "ping", description: "Answers pong", inputSchema: { type: "object", properties: {} } }],
  }),
  "tools/call": () => ({ content: [{ type: "text", text: "pong" }] }),
}

for await (const line of createInterface({ input: process.stdin })) {
  const call = JSON.parse(line) as Call
  if (call.id === undefined) continue // a notification
  const result = answers[call.method]?.(call)
  const error = { code: -32601, message: `no method ${call.method}` }
  console.log(JSON.stringify({ jsonrpc: "2.0", id: call.id, ...(result === undefined ? { error } : { result }) }))
}

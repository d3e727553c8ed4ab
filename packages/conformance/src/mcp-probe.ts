import { writeFileSync } from "node:fs"
import { join } from "node:path"

/** The least MCP server: one tool, `ping`, over stdio. A text, because a compiled program has no files of its own. */
const source = `import { createInterface } from "node:readline"
const answers = {
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
await new Promise((resolve) => setTimeout(resolve, Number(process.env.PROBE_STARTS_MS ?? 0)))
for await (const line of createInterface({ input: process.stdin })) {
  const call = JSON.parse(line)
  if (call.id === undefined) continue // a notification
  const result = answers[call.method]?.(call)
  const error = { code: -32601, message: "no method " + call.method }
  console.log(JSON.stringify({ jsonrpc: "2.0", id: call.id, ...(result === undefined ? { error } : { result }) }))
}
`

/** Puts the server into the folder and tells how to start it. It may take as long as one that is fetched first. */
export function mcpProbe(
  directory: string,
  startsMs = 0,
): { command: string; args: string[]; env: Record<string, string> } {
  const file = join(directory, "mcp-probe.mjs")
  writeFileSync(file, source)
  // A compiled program of ours is Bun when it is told so; Bun itself does not mind.
  return { command: process.execPath, args: [file], env: { BUN_BE_BUN: "1", PROBE_STARTS_MS: String(startsMs) } }
}

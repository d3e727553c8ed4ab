import { writeFileSync } from "node:fs"
import { join } from "node:path"

/** A server with a tool that acts, one that only reads, and one that asks the person. */
const source = `import { writeFileSync } from "node:fs"
import { createInterface } from "node:readline"
const say = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }))
const tool = (name, more = {}) => ({ name, description: name, inputSchema: { type: "object", properties: {} }, ...more })
const text = (text) => ({ content: [{ type: "text", text }] })
const form = {
  type: "object",
  properties: {
    name: { type: "string", title: "Name" },
    size: { type: "string", enum: ["S", "L"] },
    colours: { type: "array", items: { type: "string", enum: ["red", "blue", "green"] } },
    sure: { type: "boolean" },
    count: { type: "integer" },
  },
  required: ["name"],
}
let asking
const answers = {
  initialize: ({ params }) => ({
    protocolVersion: params?.protocolVersion ?? "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "lab", version: "1.0.0" },
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools: [tool("act"), tool("look", { annotations: { readOnlyHint: true } }), tool("ask")] }),
  "tools/call": ({ id, params }) => {
    if (params.name !== "ask") return text(params.name + " done " + (process.env.LAB ?? ""))
    asking = id
    say({ id: 900, method: "elicitation/create", params: { message: "Who?", requestedSchema: form } })
  },
}
for await (const line of createInterface({ input: process.stdin })) {
  const call = JSON.parse(line)
  if (call.id === 900) say({ id: asking, result: text(JSON.stringify(call.result)) })
  else if (call.method !== undefined && call.id !== undefined) {
    const result = answers[call.method]?.(call)
    if (result !== undefined) say({ id: call.id, result })
    else if (answers[call.method] === undefined) say({ id: call.id, error: { code: -32601, message: "no" } })
    if (call.method === "tools/list" && process.env.LAB_LISTED) writeFileSync(process.env.LAB_LISTED, "")
  }
}
`

/** `listed`: a file that is written once the server has listed its tools. */
export function labServer(directory: string, listed = "") {
  const file = join(directory, "lab.mjs")
  writeFileSync(file, source)
  return { command: process.execPath, args: [file], env: { LAB: "here", LAB_LISTED: listed } }
}

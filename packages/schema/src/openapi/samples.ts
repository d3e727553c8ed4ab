import type { Json } from "./components.ts"

/** What stands for a parameter in an example, by its name. Of a session unless the path says otherwise. */
const parameters: Readonly<Record<string, unknown>> = {
  ...{ id: "demo", agent: "mock", permissionId: "perm_1", questionId: "q_1", messageId: "m-1" },
  hash: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
  ...{ path: "/workspace/app.ts", pattern: "TODO", directory: "/workspace", mcpName: "tickets", skillName: "ours" },
  ...{ serverId: "my-app", sessionId: "demo", "Last-Event-ID": "12", cursor: "41", globs: "*.ts,!*.test.ts" },
  ...{ mode: "0644", ticket: "PUfghPghY6PpAgnX6V6b0Itk-2jtKmQ1", access_token: "the token of the daemon" },
  ...{ "Acp-Connection-Id": "conn_1", "Acp-Session-Id": "demo" },
}
const numbers: Readonly<Record<string, number>> = {
  ...{ offset: 0, since: 0, limit: 50, waitMs: 5_000, tail: 100, depth: 2, context: 2 },
}
const folders = ["listFsEntries", "uploadFsBatch", "archiveFs", "watchFs", "searchFs", "makeFsDirectory"]
const bytes = "the bytes"

interface Operation extends Json {
  operationId: string
  parameters?: (Json & { name: string; schema: Json })[]
  requestBody?: { content: Record<string, Json> }
  responses: Record<string, { content?: Record<string, Json> }>
}

/** Gives every operation an example: of its parameters, its body and its answer, made of the examples of their parts. */
export function addSamples(paths: Record<string, Record<string, Json>>, schemas: Record<string, Json>): void {
  for (const [path, methods] of Object.entries(paths))
    for (const one of Object.values(methods) as Operation[]) {
      for (const parameter of one.parameters ?? []) {
        const found =
          /\/(processes|terminals)\//.test(path) && parameter.name === "id" ? "proc_2b1e0f9c3a7d0Qx1" : undefined
        const folder =
          parameter.name === "path" && folders.includes(one.operationId.replace(/V2$/, "")) ? "/workspace" : undefined
        parameter.example = found ?? folder ?? parameterSample(parameter.name, parameter.schema, schemas)
      }
      for (const [media, content] of Object.entries(one.requestBody?.content ?? {}))
        content.example = media === "application/json" ? sampleOf(content.schema as Json, schemas) : bytes
      for (const [status, { content = {} }] of Object.entries(one.responses)) {
        if (Number(status) >= 400) continue
        for (const [media, shown] of Object.entries(content))
          shown.example = /json|event-stream/.test(media) ? sampleOf(shown.schema as Json, schemas) : bytes
      }
    }
}

function parameterSample(name: string, schema: Json, schemas: Record<string, Json>): unknown {
  const { type, enum: values } = schema
  if (type === "integer" && name in numbers) return numbers[name]
  if (name === "mode" && Array.isArray(values)) return values[0]
  return (type === "string" || type === undefined) && name in parameters ? parameters[name] : sampleOf(schema, schemas)
}

/** A value of a schema: the example of a part that has one, else the simplest that fits. */
export function sampleOf(schema: Json, schemas: Record<string, Json>): unknown {
  const { $ref, examples, const: fixed, enum: values, allOf, oneOf, anyOf, properties, items, default: usual } = schema
  if (typeof $ref === "string") return sampleOf(schemas[$ref.split("/").at(-1) ?? ""] ?? {}, schemas)
  if (Array.isArray(examples)) return examples[0]
  if (fixed !== undefined) return fixed
  if (usual !== undefined) return usual
  if (Array.isArray(values)) return values[0]
  const [choice] = (oneOf ?? anyOf ?? []) as Json[]
  if (choice !== undefined) return sampleOf(choice, schemas)
  if (Array.isArray(allOf)) return Object.assign({}, ...(allOf as Json[]).map((part) => sampleOf(part, schemas)))
  if (items !== undefined) return [sampleOf(items as Json, schemas)]
  if (properties !== undefined) {
    const fields = Object.entries(properties as Record<string, Json>).filter(([name]) => name !== "nextCursor")
    return Object.fromEntries(fields.map(([name, field]) => [name, sampleOf(field, schemas)]))
  }
  return simplest(schema)
}

function simplest({ type, minimum }: Json): unknown {
  if (type === "integer" || type === "number") return typeof minimum === "number" ? Math.max(minimum, 1) : 1
  return type === "boolean" ? true : type === "object" ? {} : "text"
}

/** JSON-RPC, as a client of ACP begins with it. */
export const acpExamples: Readonly<Record<string, readonly unknown[]>> = {
  AcpRequest: [
    { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1, clientCapabilities: {} } },
    {
      ...{ jsonrpc: "2.0", id: 2, method: "session/prompt" },
      params: { sessionId: "demo", prompt: [{ type: "text", text: "Fix the failing test" }] },
    },
  ],
  AcpNotification: [{ jsonrpc: "2.0", method: "session/cancel", params: { sessionId: "demo" } }],
  AcpResult: [{ jsonrpc: "2.0", id: 2, result: { stopReason: "end_turn" } }],
  AcpError: [{ jsonrpc: "2.0", id: 2, error: { code: -32602, message: "there is no session demo" } }],
}

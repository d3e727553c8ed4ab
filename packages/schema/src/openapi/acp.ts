import type { Mounted } from "../contract/mounted.ts"
import { type ErrorCode, errors } from "../error.ts"
import { type Components, type Json, refTo } from "./components.ts"
import { failures, headerParameter } from "./operation.ts"

/** JSON-RPC as ACP uses it; what methods take and answer is ACP's to say. */
export function addAcpMessages(components: Components): void {
  const jsonrpc = { type: "string", const: "2.0", description: "always `2.0`" }
  const id = { type: ["string", "number", "null"], description: "joins a call and its answer" }
  const method = { type: "string", description: "of ACP, such as `session/prompt`, or an extension" }
  const value = (description: string): Json => ({ ...refTo("JsonValue"), description })
  components.add("AcpRequest", {
    type: "object",
    description: "A call; it is answered with the same id.",
    properties: { jsonrpc, id, method, params: value("what the method takes") },
    required: ["jsonrpc", "id", "method"],
  })
  components.add("AcpNotification", {
    type: "object",
    description: "Nobody answers it.",
    properties: { jsonrpc, method, params: value("what the method takes") },
    required: ["jsonrpc", "method"],
  })
  components.add("AcpResult", {
    type: "object",
    description: "The answer to a call.",
    properties: { jsonrpc, id, result: value("what the method answers") },
    required: ["jsonrpc", "id", "result"],
  })
  components.add("AcpError", {
    type: "object",
    description: "The answer to a call that failed.",
    properties: {
      jsonrpc,
      id,
      error: {
        type: "object",
        description: "why",
        properties: {
          code: { type: "integer", description: "of JSON-RPC or ACP" },
          message: { type: "string", description: "what happened" },
          data: value("`code` and `hint` of the closed list, and context"),
        },
        required: ["code", "message"],
      },
    },
    required: ["jsonrpc", "id", "error"],
  })
  components.add("AcpMessage", {
    description: "One message of JSON-RPC.",
    anyOf: ["AcpRequest", "AcpNotification", "AcpResult", "AcpError"].map(refTo),
  })
}

const message = (type: string): Json => ({ [type]: { schema: refTo("AcpMessage") } })
const query = {
  name: "agent",
  in: "query",
  required: false,
  description: "the agent of sessions that name none",
  schema: { type: "string" },
}
const header = (name: string, description: string): Json => ({
  name,
  in: "header",
  required: false,
  description,
  schema: { type: "string" },
})

export function acpOperation({ id, method, path: first, summary, description }: Mounted, path: string): Json {
  const named = path.includes("{")
  const parameters = [
    ...(named
      ? [
          {
            name: "serverId",
            in: "path",
            required: true,
            description: "name of the connection, chosen by the client",
            schema: { type: "string", maxLength: 128 },
          },
        ]
      : []),
    query,
    ...(named ? [] : [header("Acp-Connection-Id", "the connection, in the official transport")]),
    ...(named || method === "DELETE" ? [] : [header("Acp-Session-Id", "the session, in the official transport")]),
    ...(method === "GET" ? [headerParameter("Last-Event-ID", "the id of the last message seen")] : []),
  ]
  return {
    operationId: path === first ? id : `${id}V2`,
    tags: ["acp"],
    summary,
    description,
    parameters,
    ...(method === "POST" ? { requestBody: { required: true, content: message("application/json") } } : {}),
    responses: { ...good(method, named), ...bad(method, named) },
  }
}

function good(method: Mounted["method"], named: boolean): Json {
  if (method === "GET") return { 200: { description: "One message per `data`", content: message("text/event-stream") } }
  if (method === "DELETE") return { 204: { description: "Left" }, ...(named ? {} : { 202: { description: "Left" } }) }
  return {
    200: { description: "The answer", content: message("application/json") },
    202: { description: "Taken; there is no answer, or it comes on the stream" },
  }
}

/** The official transport says these in plain text; JSON-RPC errors say what is wrong with a message. */
function bad(method: Mounted["method"], named: boolean): Json {
  const common: readonly ErrorCode[] = ["invalid_request", "token_invalid", "permission_denied", "internal"]
  const byMethod: Partial<Record<Mounted["method"], readonly ErrorCode[]>> = {
    GET: ["not_acceptable", "gone", "too_many_requests", ...(named ? [] : (["not_found", "conflict"] as const))],
    DELETE: ["not_found"],
    POST: ["payload_too_large", "unsupported_media_type", ...(named ? [] : (["not_found"] as const))],
  }
  const found = failures([...common, ...(byMethod[method] ?? [])]) as Record<
    string,
    { description: string; content: Json }
  >
  for (const [status, { content }] of Object.entries(found)) {
    const ours = [errors.token_invalid, errors.permission_denied, errors.internal].some(
      (e) => String(e.status) === status,
    )
    if (method === "POST" && !ours) Object.assign(content, { "application/json": { schema: refTo("AcpError") } })
    if (!named && !ours) Object.assign(content, { "text/plain": { schema: { type: "string" } } })
  }
  return found
}

// Compiled against types that were just made of the OpenAPI document: what an application would write.
import type { components, operations, paths } from "./openapi.ts"

type Schemas = components["schemas"]
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false
const same = <T extends true>(..._: T[]): void => {}

/** Any JSON: the one thing that nobody can say more of. */
type JsonValue = unknown
type Metadata = { [name: string]: JsonValue }

interface Usage {
  input_tokens: number
  output_tokens: number
  cached_tokens?: number
  reasoning_tokens?: number
  context_used?: number
  context_size?: number
  cost_usd?: number
}

type ContentPart =
  | { type: "text"; text: string }
  | { type: "json"; json: JsonValue }
  | { type: "tool_call"; name: string; arguments: string; call_id: string; title?: string; kind?: string }
  | {
      type: "tool_result"
      call_id: string
      output: string
      is_error?: boolean
      detached?: boolean
      truncated?: boolean
    }
  | {
      type: "file_ref"
      path: string
      action: "read" | "write" | "patch"
      diff?: string
      blob?: string
      mime?: string
    }
  | { type: "image"; path?: string; blob?: string; mime?: string }
  | { type: "reasoning"; text: string; visibility: "public" | "private" }
  | { type: "status"; label: string; detail?: string }

interface Item {
  item_id: string
  native_item_id?: string
  parent_id?: string
  turn_id?: string
  message_id?: string
  group?: string
  kind: "message" | "tool_call" | "tool_result" | "system" | "status" | "unknown"
  role?: "user" | "assistant" | "system" | "tool"
  status: "in_progress" | "completed" | "failed"
  late?: boolean
  metadata?: Metadata
  content: ContentPart[]
}

interface Permission {
  permission_id: string
  action: string
  status: "requested" | "accept" | "accept_for_session" | "reject" | "cancelled"
  kind: "command" | "file_change" | "tool" | "network" | "other"
  detail?: { command?: string; path?: string; diff?: string }
  choices: ("once" | "always" | "reject")[]
  item_id?: string
  call_id?: string
  turn_id?: string
  by?: "client" | "rule" | "mode"
  reason?: string
  message?: string
  metadata?: Metadata
}

interface PostMessage {
  message: string
  messageId?: string
  attachments?: { path?: string; url?: string; data?: string; mime?: string; filename?: string }[]
  delivery?: "queue" | "steer"
}

same<Same<Schemas["JsonValue"], JsonValue>>(true)
same<Same<Schemas["Usage"], Usage>>(true)
same<Same<Schemas["ContentPart"], ContentPart>>(true)
same<Same<Schemas["Item"], Item>>(true)
same<Same<Schemas["Permission"], Permission>>(true)
same<Same<Schemas["PostMessageRequest"], PostMessage>>(true)

/** An event is narrowed by its type, and a part by its own. */
export function textOf(event: Schemas["Event"]): string {
  switch (event.type) {
    case "item.delta":
      return event.data.delta
    case "item.completed":
      return event.data.item.content.map((part) => (part.type === "text" ? part.text : "")).join("")
    case "permission.requested":
      return event.data.detail?.command ?? event.data.action
    case "turn.ended":
      return event.data.error?.message ?? event.data.stop_reason
    case "error":
      return event.data.message
    default:
      return `${event.sequence} ${event.session_id} ${event.type}`
  }
}

// @ts-expect-error: only items have an item
export const wrong = (event: Extract<Schemas["Event"], { type: "error" }>) => event.data.item

export function statusOf(event: Schemas["GlobalEvent"]): string {
  if (event.type === "session.status") return event.data.status
  if (event.type === "session.pending") return String(event.data.permissions + event.data.questions)
  return event.type === "session.created" ? event.data.agent : event.session_id
}

export function installed(event: Schemas["InstallEvent"]): string {
  if (event.type === "install.progress") return `${event.phase} ${event.bytes} of ${event.total ?? "?"}`
  return event.type === "install.done" ? (event.version ?? "") : `${event.problem}: ${event.detail}`
}

type Body<Id extends keyof operations> = operations[Id] extends {
  requestBody?: { content: { "application/json": infer B } }
}
  ? B
  : never
type Good<Id extends keyof operations, Status extends number, Type extends string> = operations[Id] extends {
  responses: Record<Status, { content: Record<Type, infer A> }>
}
  ? A
  : never

export const post: Body<"postMessage"> = { message: "Fix the failing test" }
export const create: Body<"createSession"> = { agent: "claude", permissionMode: "acceptEdits" }
same<Same<Body<"replyPermission">, Schemas["ReplyPermissionRequest"]>>(true)
same<Same<Good<"streamEvents", 200, "text/event-stream">, Schemas["Event"]>>(true)
same<Same<Good<"streamMessage", 200, "text/event-stream">, Schemas["Event"]>>(true)
same<Same<Good<"streamGlobalEvents", 200, "text/event-stream">, Schemas["GlobalEvent"]>>(true)
same<Same<Good<"installAgent", 200, "text/event-stream">, Schemas["InstallEvent"]>>(true)
same<Same<Good<"installAgent", 200, "application/json">, Schemas["InstallResult"]>>(true)
same<Same<Good<"getEvents", 200, "application/json">, { events: Schemas["Event"][]; hasMore: boolean }>>(true)
same<Same<Good<"listItems", 200, "application/json">, { items: Schemas["Item"][]; sequence: number }>>(true)
same<Same<Good<"getSession", 404, "application/problem+json">, Schemas["Problem"]>>(true)
same<Same<Good<"getDocs", 200, "text/html">, string>>(true)
export const acp: paths["/v1/acp/{serverId}"]["post"] extends undefined ? never : Schemas["AcpMessage"] = {
  jsonrpc: "2.0",
  id: 1,
  method: "session/prompt",
  params: { sessionId: "demo", prompt: [] },
}

import type { JsonObject, JsonValue } from "./json.ts"

export type DialectName = "anthropic-messages" | "openai-responses" | "openai-chat" | "google-generate"

/** Side requests that are answered by a reply of the model. */
export type AnsweredSide = "probe" | "title" | "compaction"

/** Requests that agents make beside the conversation; they have default answers and use up no step. */
export type SideKind = AnsweredSide | "health" | "models" | "count-tokens" | "websocket" | "thread-server"

/** How a request ended: answered in full, cut by the script, left by the agent, or closed with the model. */
export type Ending = "answered" | "cut" | "client-gone" | "closed"

export interface ToolCallSeen {
  id: string
  name: string
  /** Parsed arguments, or the text as it came when it is not JSON. */
  input: JsonValue
}

export interface ToolResultSeen {
  id: string
  /** Name of the tool whose call this answers, when the call is in the same request. */
  name: string | undefined
  text: string
  /** Chat Completions and Responses cannot say; there it is always false. */
  isError: boolean
  images: ImageSeen[]
}

export interface ImageSeen {
  mediaType: string | undefined
  /** Base64, when the image came inside the request. */
  data: string | undefined
  url: string | undefined
}

export interface Message {
  /** `tool` holds tool results only; developer messages are `system`. */
  role: "user" | "assistant" | "system" | "tool"
  /** All text blocks, joined by line feeds. */
  text: string
  texts: string[]
  toolCalls: ToolCallSeen[]
  toolResults: ToolResultSeen[]
  images: ImageSeen[]
}

/** What the dialects have in common. */
export interface RequestContent {
  model: string
  system: string
  messages: Message[]
  tools: string[]
  effort: string | undefined
  thinking: JsonObject | undefined
  maxTokens: number | undefined
  stream: boolean
}

export interface ModelRequest extends RequestContent {
  /** Order of arrival over all sessions, from 1. */
  number: number
  dialect: DialectName
  method: string
  /** Without the `/s/<key>` prefix and the query. */
  path: string
  query: string
  /** Lower-case names; secrets are redacted. */
  headers: Record<string, string>
  /** The script that answers: a key given to `script`, or "" for the shared one. */
  session: string
  /** Every session key the request carries, most explicit first. */
  sessionKeys: string[]
  /** Set when a sub-agent asks: Claude Code's agent id, OpenCode's child session, Codex's agent path. */
  agentId: string | undefined
  side: AnsweredSide | undefined
  body: JsonObject
  ended: Promise<Ending>
}

// Blocks that agents put into user messages by themselves.
const NOT_THE_USER = [
  "<system-reminder>",
  "<environment_context>",
  "<user_instructions>",
  "# AGENTS.md instructions",
  "[Image: source:",
  "# User State",
]

/** What the user typed last, without the blocks that agents add. */
export function lastUserText(request: RequestContent): string {
  for (const message of request.messages.toReversed()) {
    if (message.role !== "user") continue
    const typed = message.texts.filter((text) => !NOT_THE_USER.some((start) => text.trimStart().startsWith(start)))
    if (typed.length > 0) return typed.join("\n")
  }
  return ""
}

/** Results of the tools called in the last assistant message: what the agent reports back with this request. */
export function toolResults(request: RequestContent): ToolResultSeen[] {
  const lastAssistant = request.messages.findLastIndex((message) => message.role === "assistant")
  return request.messages.slice(lastAssistant + 1).flatMap((message) => message.toolResults)
}

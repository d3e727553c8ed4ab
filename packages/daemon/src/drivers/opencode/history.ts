import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { ContentPart } from "@sandbox-agent/schema/item"
import type { PastItem } from "../../core/driver.ts"
import type { Client } from "./client.ts"
import type { MessageWithParts, Part } from "./native.ts"
import { toolCall } from "./tool-call.ts"

/** What was said in a session of OpenCode's own, in order. */
export async function readHistory(client: Client, sessionID: string): Promise<PastItem[]> {
  // It fails on ids that cannot be its own, instead of saying so.
  if (!sessionID.startsWith("ses")) throw new SandboxAgentError("not_found", `OpenCode has no session ${sessionID}`)
  const messages = await client.call("GET /session/{sessionID}/message", { params: { sessionID } })
  return messages.flatMap(itemsOf)
}

function itemsOf({ info, parts }: MessageWithParts): PastItem[] {
  if (info.role === "assistant") return parts.flatMap(answerItems)
  const content = parts.flatMap(saidPart)
  return content.length === 0 ? [] : [{ kind: "message", role: "user", content }]
}

function saidPart(part: Part): ContentPart[] {
  if (part.type === "text" && part.synthetic !== true && part.text !== "") return [{ type: "text", text: part.text }]
  if (part.type !== "file" || part.filename === undefined) return []
  return [{ type: "file_ref", path: part.filename, action: "read" }]
}

function answerItems(part: Part): PastItem[] {
  if (part.type === "text" && part.text !== "")
    return [{ kind: "message", role: "assistant", content: [{ type: "text", text: part.text }] }]
  if (part.type === "reasoning" && part.text !== "")
    return [
      { kind: "message", role: "assistant", content: [{ type: "reasoning", text: part.text, visibility: "private" }] },
    ]
  if (part.type !== "tool" || part.state.status === "pending") return []
  const { state, callID } = part
  const call: PastItem = { kind: "tool_call", role: "assistant", content: [toolCall(part, callID)] }
  const output =
    state.status === "completed" ? state.output : state.status === "error" ? state.error : "no result: interrupted"
  const failed = state.status !== "completed"
  const result = { type: "tool_result" as const, call_id: callID, output, ...(failed && { is_error: true }) }
  return [call, { kind: "tool_result", role: "tool", content: [result] }]
}

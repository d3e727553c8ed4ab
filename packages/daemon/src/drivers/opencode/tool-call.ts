import type { ContentPart } from "@sandbox-agent/schema/item"
import { type Json, record, text } from "../shared/json.ts"
import type { ToolPart } from "./native.ts"

type ToolCall = Extract<ContentPart, { type: "tool_call" }>

/** What a tool does, in the words of ACP. */
const kinds: Record<string, string> = {
  bash: "execute",
  read: "read",
  list: "search",
  glob: "search",
  grep: "search",
  codesearch: "search",
  lsp: "search",
  edit: "edit",
  write: "edit",
  apply_patch: "edit",
  multiedit: "edit",
  webfetch: "fetch",
  websearch: "fetch",
  todowrite: "think",
  todoread: "think",
  plan_enter: "switch_mode",
  plan_exit: "switch_mode",
}

/** A call of a tool that does not exist comes as one of `invalid`, with the name the model used. */
export const nameOf = ({ tool, state }: ToolPart): string =>
  tool === "invalid" ? (text(record(state.input).tool) ?? tool) : tool

/** Without input: its arguments are still being written. */
export function toolCall(part: ToolPart, callId: string): ToolCall {
  const { state } = part
  const name = nameOf(part)
  const title = state.status === "pending" ? undefined : titleOf(name, record(state.input))
  return {
    type: "tool_call",
    name,
    arguments: state.status === "pending" ? "" : JSON.stringify(state.input),
    call_id: callId,
    kind: kinds[name] ?? "other",
    ...(title !== undefined && { title }),
  }
}

function titleOf(name: string, input: Json): string | undefined {
  const names = ["description", "command", "filePath", "pattern", "url", "query", "name"]
  const what = names.map((one) => text(input[one])).find((found) => found !== undefined)
  if (what === undefined) return undefined
  const line = what.split("\n", 1)[0] ?? ""
  return (name === "bash" || name === "task" ? line : `${name} ${line}`).slice(0, 200)
}

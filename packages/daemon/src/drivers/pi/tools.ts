import { piLimits } from "@sandbox-agent/schema/driver-limits"
import type { ContentPart } from "@sandbox-agent/schema/item"
import { type Json, record, text } from "../shared/json.ts"

type ToolCall = Extract<ContentPart, { type: "tool_call" }>

export const commandTool = "bash"
export const fileTools: readonly string[] = ["write", "edit"]
/** Of our extension. */
export const questionTool = "ask_user"

/** What a tool does, in the words of ACP. */
const kinds: Readonly<Record<string, string>> = {
  bash: "execute",
  write: "edit",
  edit: "edit",
  read: "read",
  grep: "search",
  find: "search",
  ls: "search",
}

/** The file a tool works on, as it was named. */
export const pathOf = (input: Json): string | undefined => text(input.path) ?? text(input.file_path)

/** `input`: none before the call is whole. */
export function toolCall(id: string, name: string, input?: unknown): ToolCall {
  const title = input === undefined ? undefined : titleOf(name, record(input))
  return {
    type: "tool_call",
    name,
    arguments: input === undefined ? "" : JSON.stringify(input),
    call_id: id,
    kind: kinds[name] ?? "other",
    ...(title !== undefined && { title }),
  }
}

function titleOf(name: string, input: Json): string | undefined {
  const command = name === commandTool ? text(input.command) : undefined
  const what = command ?? pathOf(input) ?? text(input.pattern) ?? text(input.query) ?? text(input.url)
  const line = what?.split("\n", 1)[0]
  if (line === undefined) return undefined
  return (command === undefined ? `${name} ${line}` : line).slice(0, piLimits.titleChars)
}

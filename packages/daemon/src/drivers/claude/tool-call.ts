import type { ContentPart } from "@sandbox-agent/schema/item"
import { type Json, record, text } from "../shared/json.ts"

type ToolCall = Extract<ContentPart, { type: "tool_call" }>

/** What a tool does, in the words of ACP. */
const kinds: Record<string, string> = {
  Bash: "execute",
  BashOutput: "execute",
  KillShell: "execute",
  Monitor: "execute",
  Read: "read",
  NotebookRead: "read",
  Edit: "edit",
  MultiEdit: "edit",
  Write: "edit",
  NotebookEdit: "edit",
  Glob: "search",
  Grep: "search",
  LS: "search",
  ToolSearch: "search",
  WebFetch: "fetch",
  WebSearch: "fetch",
  TodoWrite: "think",
  TaskCreate: "think",
  TaskUpdate: "think",
  ExitPlanMode: "switch_mode",
  EnterPlanMode: "switch_mode",
}

export const fileTools: readonly string[] = ["Edit", "MultiEdit", "Write", "NotebookEdit"]
export const networkTools: readonly string[] = ["WebFetch", "WebSearch"]

/** The file a tool works on. */
export const pathOf = (input: Json): string | undefined =>
  text(input.file_path) ?? text(input.notebook_path) ?? text(input.path)

export function toolCall(id: string, name: string, input?: unknown): ToolCall {
  const given = record(input)
  const title = input === undefined ? undefined : titleOf(name, given)
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
  const what =
    text(input.description) ??
    text(input.command) ??
    pathOf(input) ??
    text(input.pattern) ??
    text(input.url) ??
    text(input.query)
  if (what === undefined) return undefined
  const line = what.split("\n", 1)[0] ?? ""
  return name === "Bash" || name === "Agent" || name === "Task" ? line.slice(0, 200) : `${name} ${line}`.slice(0, 200)
}

import { ampLimits } from "@sandbox-agent/schema/driver-limits"
import type { ContentPart } from "@sandbox-agent/schema/item"
import { type Json, record, text } from "../shared/json.ts"

type ToolCall = Extract<ContentPart, { type: "tool_call" }>

export const commandTools: readonly string[] = ["Bash", "shell_command"]
export const fileTools: readonly string[] = ["create_file", "edit_file", "delete_file", "undo_edit", "apply_patch"]
export const networkTools: readonly string[] = ["read_web_page", "web_search"]

/**
 * Tools that change nothing and reach nobody new: they run unasked, as Amp's own rules have it. What a sub-agent (`Task`,
 * `oracle`, …) then does is asked for by itself.
 */
export const freeTools: readonly string[] = [
  ...["Read", "Grep", "glob", "Glob", "finder", "get_diagnostics", "look_at", "chart", "skill", "task_list"],
  ...["find_thread", "read_thread", "Task", "oracle", "librarian", "code_review"],
]

/** What a tool does, in the words of ACP. */
const kinds: Readonly<Record<string, string>> = {
  Read: "read",
  read_thread: "read",
  look_at: "read",
  read_mcp_resource: "read",
  Grep: "search",
  glob: "search",
  Glob: "search",
  finder: "search",
  find_thread: "search",
  oracle: "think",
  task_list: "think",
}

function kindOf(name: string): string {
  if (commandTools.includes(name)) return "execute"
  if (fileTools.includes(name)) return "edit"
  return networkTools.includes(name) ? "fetch" : (kinds[name] ?? "other")
}

export const commandOf = (input: Json): string | undefined => text(input.cmd) ?? text(input.command)

/** The file a tool works on. */
export function pathOf(input: Json): string | undefined {
  const path = text(input.path)
  // Amp takes an address as well, and takes no `..` in it back, as a URL would.
  const [, host, place] = path?.match(/^file:\/\/([^/?#]*)([^?#]*)/) ?? []
  return place === undefined ? path : (host && `//${host}`) + decoded(place)
}

function decoded(place: string): string {
  try {
    return decodeURIComponent(place)
  } catch {
    return place
  }
}

/** All files that a tool would change, as it names them. A patch names its own in its text, whatever stands beside it. */
export function changedBy(tool: string, input: Json): string[] {
  if (tool !== "apply_patch") return [pathOf(input)].filter((path) => path !== undefined)
  const named = (text(input.patchText) ?? "").matchAll(/^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm)
  return [...new Set([...named].map(([, path = ""]) => path))]
}

export function toolCall(id: string, name: string, input: unknown): ToolCall {
  const title = titleOf(name, record(input))
  return {
    type: "tool_call",
    name,
    arguments: JSON.stringify(input ?? {}),
    call_id: id,
    kind: kindOf(name),
    ...(title !== undefined && { title }),
  }
}

function titleOf(name: string, input: Json): string | undefined {
  const command = commandOf(input)
  const what = command ?? text(input.description) ?? pathOf(input) ?? text(input.query) ?? text(input.url)
  const line = what?.split("\n", 1)[0]
  if (line === undefined) return undefined
  return (command === undefined ? `${name} ${line}` : line).slice(0, ampLimits.titleChars)
}

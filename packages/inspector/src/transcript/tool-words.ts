import type { ContentPart, Item } from "sandbox-agent"
import type { IconName } from "../ui/icon.tsx"

export type CallPart = Extract<ContentPart, { type: "tool_call" }>
export type ResultPart = Extract<ContentPart, { type: "tool_result" }>

export const callPart = (item: Item): CallPart | undefined =>
  item.content.find((part): part is CallPart => part.type === "tool_call")
export const resultPart = (item: Item | undefined): ResultPart | undefined =>
  item?.content.find((part): part is ResultPart => part.type === "tool_result")

/** What the arguments are, when they are JSON already: while they are written they are not. */
export function argumentsOf({ arguments: text }: CallPart): Record<string, unknown> | undefined {
  try {
    const found: unknown = JSON.parse(text)
    return typeof found === "object" && found !== null && !Array.isArray(found)
      ? (found as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

export function iconOf({ name, kind }: CallPart): IconName {
  const word = `${kind ?? ""} ${name}`.toLowerCase()
  if (/task|agent/.test(word)) return "agents"
  if (/exec|bash|shell|command|run/.test(word)) return "terminal"
  if (/edit|write|patch|file_change|apply/.test(word)) return "edit"
  if (/read|open|view/.test(word)) return "file"
  if (/search|grep|glob|list|find/.test(word)) return "search"
  if (/fetch|web|http|browse/.test(word)) return "globe"
  if (/todo|plan/.test(word)) return "plan"
  return "wrench"
}

/** The one argument that says what it is about. */
export function mainArgument(call: CallPart): string {
  const given = argumentsOf(call)
  const text = (value: unknown) =>
    Array.isArray(value) ? value.join(" ") : typeof value === "string" ? value : undefined
  const names = ["command", "cmd", "file_path", "filePath", "path", "pattern", "query", "url", "description", "prompt"]
  for (const name of names) {
    const found = text(given?.[name])
    if (found !== undefined && found !== "") return found
  }
  return call.title ?? ""
}

export const commandOf = (call: CallPart): string | undefined => {
  const given = argumentsOf(call)
  const found = given?.command ?? given?.cmd
  return Array.isArray(found) ? found.join(" ") : typeof found === "string" ? found : undefined
}

/** Arguments as they are read best. */
export function prettyArguments(call: CallPart): string {
  const given = argumentsOf(call)
  return given === undefined ? call.arguments : JSON.stringify(given, null, 2)
}

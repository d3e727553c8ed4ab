import type { ContentPart, Item } from "@sandbox-agent/schema/item"
import { byFile, changeOfDiff } from "./file-changes.ts"
import type { Call, Entry, FileChange, Words } from "./transcript.ts"

/** The same from the items of REST. */
export function foldItems(items: readonly Item[]): Entry[] {
  const calls = new Map<string, Call>()
  const callOfItem = new Map(items.filter(isTool).map((item) => [item.item_id, callIdOf(item)]))
  const under = ({ parent_id: parent }: Item) =>
    parent === undefined ? {} : { under: callOfItem.get(parent) ?? parent }
  return items.flatMap((item): Entry[] => {
    if (isTool(item)) return toolOf(item, calls).map((call) => Object.assign(call, under(item)))
    if (item.kind !== "message" || item.role === "system") return [{ kind: "note", of: item.kind, ...under(item) }]
    return wordsOf(item).map((words) => ({ ...words, ...under(item) }))
  })
}

const isTool = ({ kind }: Item): boolean => kind === "tool_call" || kind === "tool_result"

/** The call, where this item is the first that is known of it. */
function toolOf(item: Item, calls: Map<string, Call>): Call[] {
  const id = callIdOf(item)
  const known = calls.get(id)
  const call: Call = known ?? { kind: "call", id, status: "pending", output: "", changes: [] }
  calls.set(id, call)
  const failed = item.status === "failed"
  call.changes = byFile([...call.changes, ...item.content.flatMap(changeIn)])
  for (const part of item.content) {
    if (part.type === "tool_call") call.name = part.name
    if (part.type === "tool_result") call.output = part.output
  }
  if (item.kind === "tool_call") call.status = failed ? "failed" : "in_progress"
  else if (item.status !== "in_progress")
    call.status =
      failed || item.content.some((part) => part.type === "tool_result" && part.is_error) ? "failed" : "completed"
  return known === undefined ? [call] : []
}

/** A call nobody has named yet is known by its own key. */
function callIdOf({ content, native_item_id, item_id }: Item): string {
  const named = content.flatMap((part) =>
    part.type === "tool_call" || part.type === "tool_result" ? part.call_id : [],
  )
  return named.find((id) => id !== "") ?? native_item_id ?? item_id
}

const changeIn = (part: ContentPart): FileChange[] =>
  part.type === "file_ref" && part.diff ? [changeOfDiff(part.path, part.diff)] : []

/** A message as one text for each run of its parts of one kind. */
function wordsOf({ role, content }: Item): Words[] {
  const all: Words[] = []
  for (const part of content) {
    const kind = role === "user" ? "user" : part.type === "reasoning" ? "thought" : "said"
    let words = all.at(-1)
    if (words?.kind !== kind) {
      words = { kind, text: "", attached: [] }
      all.push(words)
    }
    if (part.type === "text" || part.type === "reasoning") words.text += part.text
    if (part.type === "image") words.attached.push(part.mime ?? "image")
    if (part.type === "file_ref") words.attached.push(part.path)
  }
  return all
}

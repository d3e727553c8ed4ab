import type { ContentPart, DeltaPart, Item, ItemKind } from "@sandbox-agent/schema/item"
import { boundPart, boundText } from "./bounds.ts"
import type { OpenItem } from "./session.ts"

/** Deltas are promised to add up to the whole text of these; of other items only where something was streamed. */
export const isAssistantText = (item: Pick<Item, "kind" | "role">): boolean =>
  item.kind === "message" && item.role === "assistant"

export const isText = (part: ContentPart | undefined): part is Extract<ContentPart, { text: string }> =>
  part?.type === "text" || part?.type === "reasoning"

const families = { text: "text", reasoning: "text", arguments: "tool_call", output: "tool_result" } as const

/** Whether a delta of this kind has a place in the item: on a part that can take it, or as its next part. */
export function takes(open: OpenItem, { index, type }: DeltaPart): boolean {
  const streamed = open.texts.get(index)
  if (streamed !== undefined) return streamed.type === type || families[streamed.type] === families[type]
  const known = open.item.content[index]
  if (known !== undefined) return families[type] === (isText(known) ? "text" : known.type)
  const parts = Math.max(open.item.content.length, ...[...open.texts.keys()].map((key) => key + 1))
  return index === parts
}

/** What a part holds of the text that deltas add to. */
export function streamedValue(part: ContentPart | undefined): string {
  if (isText(part)) return part.text
  if (part?.type === "tool_call") return part.arguments
  return part?.type === "tool_result" ? part.output : ""
}

function withValue(part: ContentPart, value: string): ContentPart {
  if (isText(part)) return { ...part, text: value }
  if (part.type === "tool_call") return { ...part, arguments: value }
  return part.type === "tool_result" ? { ...part, output: value } : part
}

/** The same part, before anything was streamed into it. */
export const emptied = (part: ContentPart): ContentPart => withValue(part, "")

/** A part that stands as it was given: text that deltas have to add up to is bounded where it grows. */
export const boundWhole = (part: ContentPart): ContentPart =>
  isText(part) ? { ...part, text: boundText(part.text) } : boundPart(part)

/** The item as it stands now, with what was streamed. */
export function folded(open: OpenItem): ContentPart[] {
  const content: (ContentPart | undefined)[] = [...open.item.content]
  for (const [index, { type, text }] of open.texts) {
    const part = content[index]
    content[index] = part === undefined ? newPart(type, text, open.item) : withValue(part, text)
  }
  return content.filter((part) => part !== undefined).map(boundPart)
}

function newPart(type: DeltaPart["type"], text: string, item: Item): ContentPart {
  const call_id = item.native_item_id ?? item.item_id
  if (type === "reasoning") return { type, text, visibility: "private" }
  if (type === "output") return { type: "tool_result", call_id, output: text }
  if (type === "arguments") return { type: "tool_call", name: "unknown", arguments: text, call_id }
  return { type: "text", text }
}

export function kindOf(content: ContentPart[] | undefined): ItemKind {
  const type = content?.[0]?.type
  return type === "tool_call" || type === "tool_result" ? type : "message"
}

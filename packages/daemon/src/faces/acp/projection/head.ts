import type { Item, ItemKind, ItemRole } from "@sandbox-agent/schema/item"

/** What a delta does not say of its item, and every projection of it needs. */
export interface ItemHead {
  kind: ItemKind
  role?: ItemRole
  /** Of a tool call. */
  name?: string
  /** What joins a tool call and its result, and is the client's `toolCallId`. */
  callId?: string
  parentId?: string
}

export function headOf(item: Item): ItemHead {
  const head: ItemHead = { kind: item.kind }
  if (item.role !== undefined) head.role = item.role
  if (item.parent_id !== undefined) head.parentId = item.parent_id
  for (const part of item.content) if (part.type === "tool_call") head.name ??= part.name
  if (item.kind === "tool_call" || item.kind === "tool_result") head.callId = callIdOf(item)
  return head
}

/** A call whose part nobody has named yet is known by its own key, as the core names it in the end. */
export function callIdOf(item: Item): string {
  for (const part of item.content)
    if ((part.type === "tool_call" || part.type === "tool_result") && part.call_id !== "") return part.call_id
  return item.native_item_id ?? item.item_id
}

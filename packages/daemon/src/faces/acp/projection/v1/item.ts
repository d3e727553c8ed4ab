import type { ContentBlock, SessionUpdate } from "@agentclientprotocol/sdk"
import { splitAtBytes } from "@sandbox-agent/schema/byte-length"
import type { EventData } from "@sandbox-agent/schema/event"
import type { ContentPart, Item } from "@sandbox-agent/schema/item"
import { limits } from "@sandbox-agent/schema/limits"
import { type Envelope, ours } from "../envelope.ts"
import type { ItemHead } from "../head.ts"
import { blockOf, text } from "./content.ts"
import { systemNotice } from "./notice.ts"
import { note, type Scope, update } from "./scope.ts"
import { callCompleted, outputDelta, resultCompleted, resultSoFar, toolCall } from "./tool.ts"

/** Only a call is shown before it says anything: everything else begins with its first delta or comes whole. */
export const itemStarted = (item: Item, scope: Scope): Envelope[] =>
  item.kind === "tool_call" ? [toolCall(item, "pending", scope)] : []

export function itemDelta(data: EventData<"item.delta">, head: ItemHead | undefined, scope: Scope): Envelope[] {
  const { part, delta, item_id: itemId, reset } = data
  if (part.type === "output") return outputDelta(data, head, scope)
  // Half of a call's arguments means nothing to a client; they come with its completion.
  if (part.type === "arguments") return []
  // What the deltas of any other item amount to stands in its completion.
  if (head !== undefined && !isAssistantMessage(head)) return []
  const meta = ours({ parentId: head?.parentId, reset })
  return [update(scope, { ...chunk(part.type, delta, messageIdOf(itemId, part.index)), ...meta })]
}

export function itemCompleted(item: Item, scope: Scope, replayed: boolean): Envelope[] {
  switch (item.kind) {
    case "tool_call":
      return [callCompleted(item, scope)]
    case "tool_result":
      return [resultCompleted(item, scope)]
    case "message":
      if (item.role === "user") return userMessage(item, scope)
      if (!isAssistantMessage(item)) return [systemNotice(item, scope)]
      // What was taken over from elsewhere has no deltas.
      if (replayed) return assistantMessage(item, scope)
      return [...otherParts(item, scope), ...(item.status === "failed" ? [itemNote(item, scope)] : [])]
    case "system":
      return [systemNotice(item, scope)]
    case "status":
    case "unknown":
      return [itemNote(item, scope)]
  }
}

/** One item of a transcript, as far as it has come. Notices are live and not repeated; they stay as our own data. */
export function replayItem(item: Item, scope: Scope): Envelope[] {
  const open = item.status === "in_progress"
  switch (item.kind) {
    case "tool_call":
      return [toolCall(item, open ? "pending" : item.status === "failed" ? "failed" : "in_progress", scope)]
    case "tool_result":
      return open ? resultSoFar(item, scope) : [resultCompleted(item, scope)]
    case "message":
      // The agent said it again: a client that cannot hide the first attempt is spared it.
      if (item.metadata?.reason === "retried") return []
      if (item.role === "user") return userMessage(item, scope)
      return isAssistantMessage(item) ? assistantMessage(item, scope) : [itemNote(item, scope)]
    default:
      return [itemNote(item, scope)]
  }
}

const isAssistantMessage = ({ kind, role }: Pick<Item, "kind" | "role">): boolean =>
  kind === "message" && (role === undefined || role === "assistant")

function userMessage(item: Item, scope: Scope): Envelope[] {
  const messageId = item.message_id ?? item.item_id
  const meta = ours({ itemId: item.item_id, parentId: item.parent_id })
  const show = (content: ContentBlock) =>
    update(scope, { sessionUpdate: "user_message_chunk", content, messageId, ...meta })
  return item.content.flatMap((part) => {
    if (isText(part)) return pieces(part.text).map((piece) => show(text(piece)))
    const block = blockOf(part, scope)
    return block === undefined ? [] : [show(block)]
  })
}

function assistantMessage(item: Item, scope: Scope): Envelope[] {
  const meta = ours({ parentId: item.parent_id })
  return item.content.flatMap((part, index) => {
    if (!isText(part)) return otherPart(part, item, scope)
    const messageId = messageIdOf(item.item_id, index)
    return pieces(part.text).map((piece) => update(scope, { ...chunk(part.type, piece, messageId), ...meta }))
  })
}

const otherParts = (item: Item, scope: Scope): Envelope[] =>
  item.content.flatMap((part) => (isText(part) ? [] : otherPart(part, item, scope)))

function otherPart(part: ContentPart, item: Item, scope: Scope): Envelope[] {
  const content = blockOf(part, scope)
  if (content === undefined) return []
  const meta = ours({ parentId: item.parent_id })
  return [update(scope, { sessionUpdate: "agent_message_chunk", content, messageId: item.item_id, ...meta })]
}

/** Deltas of several parts may come by turns, and each part may begin again: to a client they are messages apart. */
const messageIdOf = (itemId: string, index: number): string => (index === 0 ? itemId : `${itemId}.${index}`)

function chunk(type: "text" | "reasoning", value: string, messageId: string): SessionUpdate {
  const sessionUpdate = type === "text" ? "agent_message_chunk" : "agent_thought_chunk"
  return { sessionUpdate, content: text(value), messageId }
}

const isText = (part: ContentPart): part is Extract<ContentPart, { text: string }> =>
  part.type === "text" || part.type === "reasoning"

/** A whole text in messages no larger than those it was streamed in. */
function pieces(whole: string): string[] {
  if (whole === "") return []
  const [piece, rest] = splitAtBytes(whole, limits.deltaBytes)
  return [piece, ...pieces(rest)]
}

/** An item without a form of its own in ACP: status notes, what nobody knows, and that a message was cut off. */
function itemNote(item: Item, scope: Scope): Envelope {
  const { item_id: itemId, kind, status, parent_id: parentId, metadata } = item
  const content = kind === "message" ? undefined : item.content
  return note(scope, { item: { itemId, kind, status, parentId, reason: metadata?.reason, content } })
}

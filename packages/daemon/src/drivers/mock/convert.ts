import type { ContentPart, DeltaPart } from "@sandbox-agent/schema/item"
import type { ItemEnd, NativeRequest, NewItem } from "../../core/driver-sink.ts"
import type { Ask, Block, BlockEnd, BlockStart } from "./protocol.ts"

const parts: Record<Block["kind"], DeltaPart> = {
  text: { index: 0, type: "text" },
  reasoning: { index: 0, type: "reasoning" },
  call: { index: 0, type: "arguments" },
  result: { index: 0, type: "output" },
  image: { index: 0, type: "text" },
}

/** What the deltas of a block add to. */
export const deltaPart = (block: Block): DeltaPart => parts[block.kind]

const kinds = {
  text: "message",
  reasoning: "message",
  image: "message",
  call: "tool_call",
  result: "tool_result",
} as const

export function newItem({ id, message, parent, block }: BlockStart): NewItem {
  return {
    key: id,
    kind: kinds[block.kind],
    role: block.kind === "result" ? "tool" : "assistant",
    parent,
    group: message,
    content: [content(block, "")],
  }
}

export function itemEnd(block: Block, { cut, text, isError, detached, truncated, file }: BlockEnd): ItemEnd {
  const status = cut || isError ? "failed" : "completed"
  const reason = cut ? { reason: "cancelled" } : {}
  // Without a text the deltas were all of it; only the core has them together.
  if (text === undefined && block.kind !== "image") return { status, ...reason }
  const part = content(block, text ?? "")
  const flags = { ...(isError && { is_error: true }), ...(detached && { detached }), ...(truncated && { truncated }) }
  const whole: ContentPart[] = [part.type === "tool_result" ? { ...part, ...flags } : part]
  if (file) whole.push({ type: "file_ref", ...file })
  return { status, content: whole, ...reason }
}

function content(block: Block, text: string): ContentPart {
  switch (block.kind) {
    case "text":
      return { type: "text", text }
    case "reasoning":
      return { type: "reasoning", text, visibility: "private" }
    case "call":
      return {
        type: "tool_call",
        name: block.name,
        arguments: text,
        call_id: block.call,
        kind: block.tool,
        ...(block.title !== undefined && { title: block.title }),
      }
    case "result":
      return { type: "tool_result", call_id: block.call, output: text }
    case "image":
      return { type: "image", path: block.path, mime: block.mime }
  }
}

export function nativeRequest(ask: Ask): NativeRequest {
  const head = { key: ask.id, ...(ask.call !== undefined && { call: ask.call }) }
  if ("questions" in ask) return { ...head, type: "question", questions: ask.questions, purpose: ask.purpose }
  const { kind, action, detail, rule } = ask.permission
  return { ...head, type: "permission", kind, action, detail, covers: [rule], always: [rule] }
}

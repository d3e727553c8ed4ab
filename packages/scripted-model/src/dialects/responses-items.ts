import type { JsonObject } from "../json.ts"
import type { ThinkingPart, ToolCallPart } from "../part.ts"
import type { Block, EncodeContext } from "./dialect.ts"
import { toolEntries } from "./responses-tools.ts"

/** The finished output item of a block. */
export function blockItem(block: Block, context: EncodeContext): JsonObject {
  const { part, id, content } = block
  switch (part.type) {
    case "text":
      return { ...messageItem(block, context), status: "completed", content: [textContent(content)] }
    case "thinking":
      return { ...reasoningItem(id, part, content), encrypted_content: part.signature }
    case "tool-call":
      return { ...callItem(block, part, context, content), status: "completed" }
  }
}

export function blockStartEvents(block: Block, context: EncodeContext): JsonObject[] {
  const { part, index, id } = block
  const added = (item: JsonObject) => ({ type: "response.output_item.added", output_index: index, item })
  switch (part.type) {
    case "text":
      return [
        added({ ...messageItem(block, context), status: "in_progress", content: [] }),
        { type: "response.content_part.added", ...place(block), content_index: 0, part: textContent("") },
      ]
    case "thinking":
      if (part.raw) return [added({ type: "reasoning", id, summary: [] })]
      return [
        added({ type: "reasoning", id, summary: [] }),
        { type: "response.reasoning_summary_part.added", ...place(block), summary_index: 0, part: summary("") },
      ]
    case "tool-call":
      return [added({ ...callItem(block, part, context, ""), status: "in_progress" })]
  }
}

export function blockDeltaEvents(block: Block, delta: string): JsonObject[] {
  const { part } = block
  switch (part.type) {
    case "text":
      return [{ type: "response.output_text.delta", ...place(block), content_index: 0, delta }]
    case "thinking":
      if (part.raw) return [{ type: "response.reasoning_text.delta", ...place(block), content_index: 0, delta }]
      return [{ type: "response.reasoning_summary_text.delta", ...place(block), summary_index: 0, delta }]
    case "tool-call":
      return [{ type: `${callEvent(part)}.delta`, ...place(block), delta }]
  }
}

export function blockEndEvents(block: Block, context: EncodeContext): JsonObject[] {
  const { part, content: text, index } = block
  const done = { type: "response.output_item.done", output_index: index, item: blockItem(block, context) }
  switch (part.type) {
    case "text":
      return [
        { type: "response.output_text.done", ...place(block), content_index: 0, text },
        { type: "response.content_part.done", ...place(block), content_index: 0, part: textContent(text) },
        done,
      ]
    case "thinking":
      if (part.raw) return [{ type: "response.reasoning_text.done", ...place(block), content_index: 0, text }, done]
      return [
        { type: "response.reasoning_summary_text.done", ...place(block), summary_index: 0, text },
        { type: "response.reasoning_summary_part.done", ...place(block), summary_index: 0, part: summary(text) },
        done,
      ]
    case "tool-call":
      return [
        { type: `${callEvent(part)}.done`, ...place(block), [isCustom(part) ? "input" : "arguments"]: text },
        done,
      ]
  }
}

function messageItem({ id }: Block, { stop }: EncodeContext): JsonObject {
  return { type: "message", id, role: "assistant", phase: stop === "tool_use" ? "commentary" : "final_answer" }
}

function reasoningItem(id: string, part: ThinkingPart, text: string): JsonObject {
  if (part.raw) return { type: "reasoning", id, summary: [], content: [{ type: "reasoning_text", text }] }
  return { type: "reasoning", id, summary: [summary(text)] }
}

function callItem(block: Block, part: ToolCallPart, { request }: EncodeContext, input: string): JsonObject {
  const ids = { id: place(block).item_id, call_id: block.id }
  if (isCustom(part)) return { type: "custom_tool_call", ...ids, name: part.name, input }
  const entry = toolEntries(request.body).find(({ fullName }) => fullName === part.name)
  const namespace = part.namespace ?? entry?.namespace
  const name = part.namespace === undefined ? (entry?.name ?? part.name) : part.name
  return { type: "function_call", ...ids, ...(namespace === undefined ? {} : { namespace }), name, arguments: input }
}

function place({ part, id, index }: Block): { item_id: string; output_index: number } {
  if (part.type !== "tool-call") return { item_id: id, output_index: index }
  return { item_id: `${isCustom(part) ? "ctc" : "fc"}_${id}`, output_index: index }
}

function isCustom(part: ToolCallPart): boolean {
  return (part.kind ?? (typeof part.input === "string" ? "custom" : "function")) === "custom"
}

function callEvent(part: ToolCallPart): string {
  return isCustom(part) ? "response.custom_tool_call_input" : "response.function_call_arguments"
}

function textContent(text: string): JsonObject {
  return { type: "output_text", text, annotations: [] }
}

function summary(text: string): JsonObject {
  return { type: "summary_text", text }
}

import type { ContentPart } from "@sandbox-agent/schema/item"
import { isBrief, type PastItem } from "../../core/driver.ts"
import { type Json, list, record, text } from "../shared/json.ts"
import type { Call } from "../shared/waiting-calls.ts"
import { resultOf } from "./results.ts"
import { toolCall } from "./tools.ts"

/** Items of a thread as Amp exports it. Pictures are left out. */
export function* pastItems(thread: Json): Iterable<PastItem> {
  const calls = new Map<string, Call>()
  for (const message of list(thread.messages).map(record))
    for (const block of list(message.content).map(record)) {
      const item = itemOf(text(message.role) ?? "", block, calls)
      if (item !== undefined) yield item
    }
}

function itemOf(role: string, block: Json, calls: Map<string, Call>): PastItem | undefined {
  const said = text(block.text)
  if (block.type === "text" && said && role === "assistant") return spoken({ type: "text", text: said })
  if (block.type === "text" && said && role === "user")
    return isBrief(said) ? undefined : { kind: "message", role: "user", content: [{ type: "text", text: said }] }
  const thought = text(block.thinking)
  if (block.type === "thinking" && thought) return spoken({ type: "reasoning", text: thought, visibility: "private" })
  if (block.type === "tool_use") return called(block, calls)
  return block.type === "tool_result" ? answered(block, calls) : undefined
}

const spoken = (part: ContentPart): PastItem => ({ kind: "message", role: "assistant", content: [part] })

function called(block: Json, calls: Map<string, Call>): PastItem {
  const [id, name] = [text(block.id) ?? "unknown", text(block.name) ?? "unknown"]
  calls.set(id, { name, input: record(block.input) })
  return { kind: "tool_call", role: "assistant", content: [toolCall(id, name, block.input)] }
}

function answered(block: Json, calls: Map<string, Call>): PastItem {
  const id = text(block.toolUseID) ?? "unknown"
  const run = record(block.run)
  const done = run.status === "done"
  const said = done ? run.result : (record(run.error).message ?? run.reason ?? run.status)
  const content = typeof said === "string" ? said : JSON.stringify(said ?? "")
  const { output, failed, files } = resultOf(calls.get(id) ?? { name: "unknown", input: {} }, content, !done, "/")
  const result: ContentPart = { type: "tool_result", call_id: id, output, ...(failed && { is_error: true }) }
  return { kind: "tool_result", role: "tool", content: [result, ...files] }
}

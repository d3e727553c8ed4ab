import type { ContentBlock, SessionUpdate, ToolCallUpdate } from "@agentclientprotocol/sdk"
import type { ContentPart, Item } from "@sandbox-agent/schema/item"
import { type Envelope, NAMESPACE } from "../../../src/faces/acp/projection/envelope.ts"
import { callIdOf } from "../../../src/faces/acp/projection/head.ts"

interface Message {
  kind: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk"
  text: string
  others: ContentBlock[]
}

type Tool = Partial<ToolCallUpdate> & { toolCallId: string; streamed: string }

interface Ours {
  reset?: boolean
  output?: string
  item?: { itemId: string; kind: string; status: string; reason?: string }
}

/** What an editor shows after these envelopes: chunks are appended, fields of tool calls replaced, as ACP v1 says. */
export class Editor {
  readonly messages = new Map<string, Message>()
  readonly tools = new Map<string, Tool>()
  readonly notes = new Map<string, NonNullable<Ours["item"]>>()
  /** Requests that nobody has answered or taken back. */
  readonly asked = new Set<string>()

  show(envelopes: readonly Envelope[]): this {
    for (const { method, params, ...rest } of envelopes) {
      if ("id" in rest) this.asked.add(rest.id)
      if ("requestId" in params) this.asked.delete(String(params.requestId))
      if (method === "session/request_permission" && "toolCall" in params) this.#tool(params.toolCall as ToolCallUpdate)
      if (method === "session/update" && "update" in params) this.#update(params.update as SessionUpdate)
    }
    return this
  }

  #update(update: SessionUpdate): void {
    const ours = (update._meta?.[NAMESPACE] ?? {}) as Ours
    switch (update.sessionUpdate) {
      case "user_message_chunk":
      case "agent_message_chunk":
      case "agent_thought_chunk":
        return this.#chunk(update.sessionUpdate, update.messageId ?? "", update.content, ours.reset)
      case "tool_call":
      case "tool_call_update":
        return this.#tool(update, ours)
      default:
        if (ours.item !== undefined) this.notes.set(ours.item.itemId, ours.item)
    }
  }

  #chunk(kind: Message["kind"], id: string, content: ContentBlock, reset = false): void {
    const had = this.messages.get(id)
    const message = had === undefined || reset ? { kind, text: "", others: had?.others ?? [] } : had
    if (content.type === "text") message.text += content.text
    else message.others.push(content)
    this.messages.set(id, message)
  }

  #tool({ _meta: meta, ...fields }: ToolCallUpdate, { output, reset }: Ours = {}): void {
    const id = fields.toolCallId
    const tool = this.tools.get(id) ?? { toolCallId: id, streamed: "" }
    const reported = (meta?.terminal_output as { data: string } | undefined)?.data ?? output
    const streamed = reported === undefined ? tool.streamed : (reset ? "" : tool.streamed) + reported
    this.tools.set(id, { ...tool, ...fields, streamed })
  }
}

const isText = (part: ContentPart): part is Extract<ContentPart, { text: string }> =>
  part.type === "text" || part.type === "reasoning"

/**
 * What of the folded items an editor does not show, or shows otherwise. `kinds`: the log is one of a good driver, where
 * text is not streamed as reasoning and no call is made twice at once.
 */
export function unlike(editor: Editor, items: readonly Item[], kinds = true): string[] {
  const calls = items.filter(({ kind }) => kind === "tool_call" || kind === "tool_result")
  return items.flatMap((item): string[] => {
    const { item_id: id, kind, role } = item
    if (kind === "tool_call" || kind === "tool_result") {
      // An id that is used again names the later call; of several at once nobody can tell which.
      const same = calls.filter((other) => other.kind === kind && callIdOf(other) === callIdOf(item))
      const shown = kinds ? same.at(-1) === item : same.length === 1
      return shown ? unlikeTool(editor.tools.get(callIdOf(item)), item, kinds) : []
    }
    if (kind !== "message" || (role !== "user" && role !== "assistant"))
      return editor.notes.has(id) ? [] : [`nothing of ${kind} ${id}`]
    const user = role === "user"
    const whole = item.content.filter(isText).map(({ text }) => text)
    if (user) return same(`text of ${id}`, editor.messages.get(item.message_id ?? id)?.text ?? "", whole.join(""))
    return item.content.flatMap((part, index) => {
      if (!isText(part)) return []
      const shown = editor.messages.get(index === 0 ? id : `${id}.${index}`)
      const expected = part.type === "text" ? "agent_message_chunk" : "agent_thought_chunk"
      const wrong = same(`text of ${id}.${index}`, shown?.text ?? "", part.text)
      return [...wrong, ...(kinds && part.text !== "" ? same(`kind of ${id}.${index}`, shown?.kind, expected) : [])]
    })
  })
}

function unlikeTool(tool: Tool | undefined, item: Item, kinds: boolean): string[] {
  // A result that has not said anything yet is not shown.
  if (tool === undefined && item.kind === "tool_result" && item.status === "in_progress") return []
  if (tool === undefined) return [`no tool call for ${item.item_id}`]
  const statuses = ["pending", "in_progress", "completed", "failed"]
  const wrong = statuses.includes(tool.status ?? "") ? [] : [`status of ${item.item_id}: ${tool.status}`]
  for (const part of item.content) {
    if (part.type === "tool_result" && item.kind === "tool_result") {
      if (item.status !== "in_progress") wrong.push(...same(`output of ${item.item_id}`, tool.rawOutput, part.output))
      const failed = item.status === "failed" || part.is_error
      if (kinds && item.status !== "in_progress")
        wrong.push(...same(`end of ${item.item_id}`, tool.status, failed ? "failed" : "completed"))
    }
    if (part.type === "tool_call" && item.kind === "tool_call" && kinds)
      wrong.push(...same(`name of ${item.item_id}`, tool.name, part.name))
  }
  return wrong
}

const same = (what: string, shown: unknown, expected: unknown): string[] =>
  shown === expected
    ? []
    : [`${what}: ${JSON.stringify(shown)?.slice(0, 200)} instead of ${JSON.stringify(expected)?.slice(0, 200)}`]

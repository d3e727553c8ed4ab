import { callLimits } from "@sandbox-agent/schema/driver-limits"
import type { ContentPart } from "@sandbox-agent/schema/item"
import type { ItemSink } from "../../core/driver-sink.ts"
import { record } from "../shared/json.ts"
import { WaitingCalls } from "../shared/waiting-calls.ts"
import type { AssistantLine, Block, UserLine } from "./native.ts"
import { resultOf } from "./results.ts"
import { toolCall } from "./tools.ts"

/** Makes items of messages, which always come whole. */
export class Transcript {
  readonly #calls = new WaitingCalls()
  /** Calls whose results have not come. */
  readonly #open = new Set<string>()
  #messages = 0

  constructor(
    private readonly sink: ItemSink,
    private readonly directory: string,
    /** What was foreseen that a call does to a file. */
    private readonly diffOf: (call: string) => string | undefined,
  ) {}

  get calling(): boolean {
    return this.#open.size > 0
  }

  isOpen = (call: string): boolean => this.#open.has(call)

  assistant({ message, parent_tool_use_id }: AssistantLine): void {
    const group = `message-${++this.#messages}`
    const parent = parent_tool_use_id ?? undefined
    message.content.forEach((block, index) => {
      const part = partOf(block)
      if (part === undefined) return
      const call = part.type === "tool_call"
      const key = call ? part.call_id : `${group}:${index}`
      this.sink.open({ key, kind: call ? "tool_call" : "message", role: "assistant", parent, group, content: [part] })
      this.sink.close(key, { status: "completed", content: [part] })
      if (!call) return
      this.#open.add(key)
      const [oldest] = this.#open
      if (this.#open.size > callLimits.waitingCalls && oldest !== undefined) this.#open.delete(oldest)
      this.#calls.add(key, { name: part.name, input: record(block.input), ...(parent !== undefined && { parent }) })
    })
  }

  /** Says which calls came to their end, and whether by running. */
  results({ message, parent_tool_use_id }: UserLine): { id: string; name: string; ran: boolean }[] {
    return message.content.flatMap((block) => {
      const id = block.tool_use_id
      if (block.type !== "tool_result" || id === undefined) return []
      this.#open.delete(id)
      const call = this.#calls.take(id) ?? { name: "unknown", input: {} }
      const isError = block.is_error === true
      const { output, failed, files } = resultOf(call, block.content, isError, this.directory, this.diffOf(id))
      const result: ContentPart = { type: "tool_result", call_id: id, output, ...(failed && { is_error: true }) }
      const content = [result, ...files]
      const key = `${id}:result`
      this.sink.open({ key, kind: "tool_result", role: "tool", parent: parent_tool_use_id ?? call.parent, content })
      this.sink.close(key, { status: failed ? "failed" : "completed", content })
      return [{ id, name: call.name, ran: !isError }]
    })
  }

  /** What did not come to its end by now never does. */
  end(): void {
    this.#open.clear()
  }
}

/** `undefined`: there is nothing to show. */
function partOf(block: Block): Exclude<ContentPart, { type: "tool_result" }> | undefined {
  switch (block.type) {
    case "text":
      return block.text ? { type: "text", text: block.text } : undefined
    case "thinking":
      return block.thinking ? { type: "reasoning", text: block.thinking, visibility: "private" } : undefined
    case "tool_use":
      return toolCall(block.id ?? "unknown", block.name ?? "unknown", block.input)
    case "redacted_thinking":
      return undefined
    default:
      return { type: "json", json: block }
  }
}

import type { ContentPart, DeltaPart } from "@sandbox-agent/schema/item"
import type { ItemEnd, ItemSink } from "../../core/driver-sink.ts"
import type { Block, Message, Update } from "./native.ts"
import { toolCall } from "./tools.ts"

type ShownPart = Exclude<ContentPart, { type: "tool_result" }>

interface Answer {
  group: string
  /** Keys of those shown so far, by their place in the message. */
  blocks: Map<number, string>
}

/** Makes one item of each block of the model's answers: streamed in pieces, and whole with the end of its message. */
export class Blocks {
  #answer: Answer | undefined
  /** Failed: whether it will be asked for again is told with the end of the attempt. */
  #failed: { answer: Answer; message: Message } | undefined
  #count = 0

  constructor(private readonly sink: ItemSink) {}

  begin(): void {
    this.#answer = { group: `message-${++this.#count}`, blocks: new Map() }
  }

  update({ type, contentIndex: index = 0, delta = "", id, toolName }: Update): void {
    const answer = this.#answer
    if (answer === undefined) return
    if (type === "toolcall_start" && id !== undefined)
      this.#show(answer, index, id, toolCall(id, toolName ?? "unknown"))
    const part = deltaParts[type]
    if (part === undefined || delta === "") return
    // Of the arguments of a call that has not said its name nothing can be shown yet.
    if (part.type === "arguments" && !answer.blocks.has(index)) return
    const key = answer.blocks.get(index) ?? this.#begin(answer, index, part)
    this.sink.delta(key, part, delta)
  }

  end(message: Message): void {
    const answer = this.#answer ?? { group: `message-${++this.#count}`, blocks: new Map() }
    this.#answer = undefined
    if (message.stopReason === "error") this.#failed = { answer, message }
    else if (message.stopReason === "aborted") this.#close(answer, message, { status: "failed", reason: "cancelled" })
    else this.#close(answer, message, { status: "completed" })
  }

  /** The attempt is over. */
  settle(again: boolean): void {
    const failed = this.#failed
    this.#failed = undefined
    if (failed === undefined) return
    if (again) this.sink.retry(failed.answer.group)
    else this.#close(failed.answer, failed.message, { status: "failed", reason: "error" })
  }

  #close(answer: Answer, { content = [] }: Message, end: Pick<ItemEnd, "status" | "reason">): void {
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content
    for (const [index, native] of blocks.entries()) {
      const part = wholePart(native)
      const shown = answer.blocks.get(index)
      answer.blocks.delete(index)
      if (part !== undefined) this.#finish(answer, index, shown, part, end)
      else if (shown !== undefined) this.sink.close(shown, end)
    }
    // Begun, and not in the message after all.
    for (const key of answer.blocks.values()) this.sink.close(key, { status: "failed", reason: "lost" })
  }

  #finish(
    { group }: Answer,
    index: number,
    shown: string | undefined,
    part: ShownPart,
    end: Pick<ItemEnd, "status" | "reason">,
  ): void {
    const key = shown ?? (part.type === "tool_call" ? part.call_id : `${group}:${index}`)
    if (shown === undefined) this.#open(group, key, part)
    this.sink.close(key, { ...end, content: [part] })
  }

  #begin(answer: Answer, index: number, { type }: DeltaPart): string {
    const empty: ShownPart =
      type === "reasoning" ? { type, text: "", visibility: "private" } : { type: "text", text: "" }
    return this.#show(answer, index, `${answer.group}:${index}`, empty)
  }

  #show({ group, blocks }: Answer, index: number, key: string, part: ShownPart): string {
    blocks.set(index, key)
    this.#open(group, key, part)
    return key
  }

  #open(group: string, key: string, part: ShownPart): void {
    const kind = part.type === "tool_call" ? "tool_call" : "message"
    this.sink.open({ key, kind, role: "assistant", group, content: [part] })
  }
}

const deltaParts: Readonly<Record<string, DeltaPart>> = {
  text_delta: { index: 0, type: "text" },
  thinking_delta: { index: 0, type: "reasoning" },
  toolcall_delta: { index: 0, type: "arguments" },
}

/** `undefined`: there is nothing to show. */
export function wholePart(block: Block): ShownPart | undefined {
  switch (block.type) {
    case "text":
      return block.text ? { type: "text", text: block.text } : undefined
    case "thinking":
      return block.thinking ? { type: "reasoning", text: block.thinking, visibility: "private" } : undefined
    case "toolCall":
      return toolCall(block.id ?? "unknown", block.name ?? "unknown", block.arguments ?? {})
    default:
      return { type: "json", json: block }
  }
}

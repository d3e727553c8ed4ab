import type { ContentPart, DeltaPart } from "@sandbox-agent/schema/item"
import type { ItemSink } from "../../core/driver-sink.ts"
import type { AssistantLine, Block, BlockDelta, StreamLine } from "./native.ts"
import { toolCall } from "./tool-call.ts"

interface OpenBlock {
  key: string
  type: string
  /** Its item was started. */
  shown: boolean
  done: boolean
}

interface Message {
  id: string
  parent?: string
  blocks: Map<number, OpenBlock>
  /** All of it has been streamed. */
  stopped: boolean
}

/** Makes one item of each block, which comes twice: streamed in pieces, and whole in an `assistant` line. */
export class Blocks {
  /** The message each conversation is at: the main one under "", those of sub-agents under their call. */
  readonly #current = new Map<string, Message>()

  constructor(private readonly sink: ItemSink) {}

  stream({ event, parent_tool_use_id }: StreamLine): void {
    const parent = parent_tool_use_id ?? undefined
    if (event.type === "message_start") this.#message(event.message.id, parent)
    const message = this.#current.get(parent ?? "")
    if (message === undefined) return
    if (event.type === "message_stop") message.stopped = true
    if (event.type === "content_block_start") this.#start(message, event.index, event.content_block)
    if (event.type === "content_block_delta") this.#delta(message, event.index, event.delta)
  }

  /** One finished block. */
  assistant({ message: { id, content }, parent_tool_use_id, aborted }: AssistantLine): void {
    const message = this.#message(id, parent_tool_use_id ?? undefined)
    for (const block of content) {
      const streamed = [...message.blocks.values()].find(
        ({ key, type, done }) => !done && type === block.type && (type !== "tool_use" || key === block.id),
      )
      this.#finish(message, streamed ?? this.#add(message, block), block, aborted)
    }
  }

  /** The message that is being streamed will be sent again. Newer versions end a cut one as if it were whole. */
  retry(): void {
    const message = this.#current.get("")
    if (message !== undefined) this.#drop(message)
  }

  /** Nothing more comes of any message. */
  end(): void {
    for (const message of this.#current.values()) this.#leave(message)
    this.#current.clear()
  }

  #message(id: string, parent: string | undefined): Message {
    const current = this.#current.get(parent ?? "")
    if (current?.id === id) return current
    if (current !== undefined) this.#leave(current)
    const message: Message = { id, parent, blocks: new Map(), stopped: false }
    this.#current.set(parent ?? "", message)
    return message
  }

  /** Of a message that was cut off the rest never comes: the next one begins anew. */
  #leave(message: Message): void {
    if (!message.stopped) return this.#drop(message)
    for (const block of message.blocks.values())
      if (block.shown && !block.done) this.sink.close(block.key, { status: "completed" })
  }

  #drop(message: Message): void {
    if ([...message.blocks.values()].some(({ shown, done }) => shown && !done)) this.sink.retry(message.id)
    for (const block of message.blocks.values()) block.done = true
  }

  #start(message: Message, index: number, block: Block): void {
    const opened = this.#add(message, block, index)
    // Thinking that is not disclosed has a block all the same: it is shown with its first word.
    if (block.type === "text" || block.type === "tool_use") this.#show(message, opened, block)
  }

  #delta(message: Message, index: number, delta: BlockDelta): void {
    const block = message.blocks.get(index)
    const text = delta.text ?? delta.thinking ?? delta.partial_json ?? ""
    const part = deltaParts[delta.type]
    if (block === undefined || block.done || part === undefined || text === "") return
    if (!block.shown) this.#show(message, block, { type: block.type })
    this.sink.delta(block.key, part, text)
  }

  #add({ id: message, blocks }: Message, { type, id }: Block, index = blocks.size): OpenBlock {
    const key = type === "tool_use" && id !== undefined ? id : `${message}:${index}`
    const block = { key, type, shown: false, done: false }
    blocks.set(index, block)
    return block
  }

  #show(message: Message, block: OpenBlock, native: Block): void {
    block.shown = true
    const content = [emptyPart(block, native)]
    const kind = block.type === "tool_use" ? "tool_call" : "message"
    this.sink.open({ key: block.key, kind, role: "assistant", parent: message.parent, group: message.id, content })
  }

  #finish(message: Message, block: OpenBlock, native: Block, aborted: boolean | undefined): void {
    block.done = true
    const part = wholePart(native)
    if (part === undefined) return block.shown ? this.sink.close(block.key, { status: "completed" }) : undefined
    if (!block.shown) this.#show(message, block, native)
    const end = aborted ? ({ status: "failed", reason: "cancelled" } as const) : ({ status: "completed" } as const)
    this.sink.close(block.key, { ...end, content: [part] })
  }
}

const deltaParts: Record<string, DeltaPart> = {
  text_delta: { index: 0, type: "text" },
  thinking_delta: { index: 0, type: "reasoning" },
  input_json_delta: { index: 0, type: "arguments" },
}

function emptyPart({ key, type }: OpenBlock, { name }: Block): ContentPart {
  if (type === "thinking") return { type: "reasoning", text: "", visibility: "private" }
  if (type === "tool_use") return toolCall(key, name ?? "unknown")
  return { type: "text", text: "" }
}

/** `undefined`: there is nothing to show. */
function wholePart(block: Block): ContentPart | undefined {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text ?? "" }
    case "thinking":
      return block.thinking ? { type: "reasoning", text: block.thinking, visibility: "private" } : undefined
    case "tool_use":
      return toolCall(block.id ?? "unknown", block.name ?? "unknown", block.input ?? {})
    case "redacted_thinking":
      return undefined
    default:
      return { type: "json", json: block }
  }
}

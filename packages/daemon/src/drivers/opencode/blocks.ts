import type { ContentPart } from "@sandbox-agent/schema/item"
import type { ItemEnd, ItemSink } from "../../core/driver-sink.ts"
import type { ReasoningPart, TextPart } from "./native.ts"

interface Block {
  readonly type: "text" | "reasoning"
  readonly group: string
  readonly parent: string | undefined
  /** Of a summary that takes the place of what was said. */
  readonly summary: boolean
  shown: boolean
  done: boolean
  /** Some of its deltas were missed: the whole text comes with its end. */
  muted: boolean
}

/** Where a part stands. */
export interface PartContext {
  /** Key of the call that a sub-agent works for. */
  parent: string | undefined
  summary: boolean
  /** What cut the message short. */
  broken: string | undefined
}

/** Text and reasoning: first an empty part, then deltas, then the whole part again. */
export class Blocks {
  readonly #blocks = new Map<string, Block>()

  constructor(private readonly sink: ItemSink) {}

  part({ id, type, text, time, messageID }: TextPart | ReasoningPart, { parent, summary, broken }: PartContext): void {
    const block = this.#blocks.get(id) ?? this.#add(id, { type, group: messageID, parent, summary })
    if (block.done) return
    // Shown with its first word: reasoning that is not disclosed has a part all the same.
    if (!block.shown && text !== "") this.#show(id, block)
    if (time?.end === undefined) return
    block.done = true
    if (!block.shown) return
    const end: ItemEnd = broken === undefined ? { status: "completed" } : { status: "failed", reason: broken }
    this.sink.close(id, { ...end, content: [contentOf(block, text)] })
  }

  /** Those of reasoning look like those of text: only the part tells them apart. */
  delta(id: string, text: string): void {
    const block = this.#blocks.get(id)
    if (block === undefined || block.done || block.muted || text === "") return
    if (!block.shown) this.#show(id, block)
    this.sink.delta(id, { index: 0, type: block.type }, text)
  }

  /** The request to the model is made again: what came of it begins anew, in new parts. */
  retried(group: string | undefined): void {
    for (const [id, block] of this.#blocks) {
      if (block.done || block.group !== group) continue
      block.done = true
      if (block.shown) this.sink.close(id, { status: "failed", reason: "retried" })
    }
  }

  /** It was taken out of the conversation. */
  removed(id: string): void {
    const block = this.#blocks.get(id)
    if (block === undefined || block.done) return
    block.done = true
    if (block.shown) this.sink.close(id, { status: "failed", reason: "retried" })
  }

  missed(): void {
    for (const block of this.#blocks.values()) block.muted = true
  }

  /** The turn is over: whatever was open is closed, and later reports of it are ignored. */
  settle(): void {
    for (const block of this.#blocks.values()) block.done = true
  }

  /** What the last turn left is of no more use. */
  forget(): void {
    this.#blocks.clear()
  }

  #add(id: string, about: Pick<Block, "type" | "group" | "parent" | "summary">): Block {
    const block = { ...about, shown: false, done: false, muted: false }
    this.#blocks.set(id, block)
    return block
  }

  #show(key: string, block: Block): void {
    block.shown = true
    const { group, parent, summary } = block
    const said = summary
      ? ({ kind: "system", role: "system" } as const)
      : ({ kind: "message", role: "assistant" } as const)
    this.sink.open({ key, ...said, parent, group, content: [contentOf(block, "")] })
  }
}

const contentOf = ({ type }: Block, text: string): ContentPart =>
  type === "reasoning" ? { type, text, visibility: "private" } : { type, text }

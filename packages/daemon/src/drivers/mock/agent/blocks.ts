import type { Block, BlockEnd } from "../protocol.ts"
import type { Ids } from "./ids.ts"
import type { Output } from "./output.ts"

/** A tool call that was made, and what its result needs to find its place. */
export interface Call {
  /** Block id, the parent of whatever the call starts. */
  id: string
  call: string
  message: string
  parent?: string
}

export interface Tool {
  name: string
  /** What sort of tool: `edit`, `execute`, `other`. */
  tool: string
  title?: string
  /** JSON text. */
  arguments: string
}

/** Says blocks: of a turn, of a sub-agent (all under its call), or of work that outlived its turn. */
export class Blocks {
  private readonly open = new Set<string>()
  private message: string
  private lastText: string | undefined

  constructor(
    private readonly out: Output,
    private readonly ids: Ids,
    private readonly under?: string,
  ) {
    this.message = ids.next()
  }

  /** Blocks of a sub-agent that a call started. */
  inside(call: Call): Blocks {
    return new Blocks(this.out, this.ids, call.id)
  }

  start(block: Block, place: { parent?: string; message?: string } = { parent: this.under }): string {
    const id = this.ids.next()
    this.open.add(id)
    this.out.line({ type: "block_start", id, message: place.message ?? this.message, parent: place.parent, block })
    if (block.kind === "text") this.lastText = id
    return id
  }

  delta(id: string, text: string): void {
    this.out.line({ type: "delta", id, text })
  }

  end(id: string, end: Omit<BlockEnd, "type" | "id"> = {}): void {
    this.open.delete(id)
    this.out.line({ type: "block_end", id, ...end })
  }

  /** A block said at once, without deltas. */
  whole(block: Block, text?: string): void {
    this.end(this.start(block), { text })
  }

  /** A call is final before it is allowed or run: its arguments are known. */
  call(tool: Tool): Call {
    const call = this.ids.next()
    const parent = this.under ?? this.lastText
    const id = this.start({ kind: "call", call, name: tool.name, tool: tool.tool, title: tool.title }, { parent })
    // The `u` flag keeps surrogate pairs in one piece.
    for (const piece of tool.arguments.match(/.{1,64}/gsu) ?? []) this.delta(id, piece)
    this.end(id, { text: tool.arguments })
    return { id, call, message: this.message, parent }
  }

  startResult(call: Call): string {
    return this.start({ kind: "result", call: call.call }, { parent: call.parent, message: call.message })
  }

  /** With its result in hand the agent begins its next message. */
  endResult(id: string, end: Omit<BlockEnd, "type" | "id">): void {
    this.end(id, end)
    this.message = this.ids.next()
  }

  result(call: Call, end: Omit<BlockEnd, "type" | "id">): void {
    this.endResult(this.startResult(call), end)
  }

  /** Ends what an interrupt left open. */
  cut(): void {
    for (const id of this.open) this.end(id, { cut: true })
  }
}

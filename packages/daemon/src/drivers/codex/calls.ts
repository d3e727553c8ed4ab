import { codexLimits } from "@sandbox-agent/schema/driver-limits"
import type { ContentPart } from "@sandbox-agent/schema/item"
import type { ItemSink } from "../../core/driver-sink.ts"

export interface Call {
  name: string
  arguments: unknown
  /** What it does, in the words of ACP. */
  kind?: string
  title?: string
}

export interface Result {
  output: string
  failed?: boolean
  /** The work goes on; this is not its end. */
  detached?: boolean
  more?: ContentPart[]
}

/** Tool calls of one thread and their results. */
export class Calls {
  /** Ids of this turn that have an item: what the raw stream says of them is no news. */
  readonly #known = new Set<string>()
  readonly #open = new Set<string>()
  /** Answered because they go on when the session's turn is over. */
  readonly #detached = new Set<string>()
  /** What a person said when they refused a call. */
  readonly #refused = new Map<string, string>()

  constructor(
    private readonly sink: ItemSink,
    /** Ids of a sub-agent's thread may be those of another. */
    readonly prefix: string,
    private readonly parent: string | undefined,
  ) {}

  key = (id: string): string => `${this.prefix}${id}`

  has(id: string): boolean {
    return this.#known.has(id)
  }

  isOpen(id: string): boolean {
    return this.#open.has(id)
  }

  /** How many items this turn has shown so far. */
  get count(): number {
    return this.#known.size
  }

  /** Its arguments are final by now. A second mention changes nothing. */
  call(id: string, call: Call): void {
    if (this.#known.has(id)) return
    this.#known.add(id)
    this.#open.add(id)
    const key = this.key(id)
    const title = call.title?.split("\n", 1)[0]?.slice(0, codexLimits.titleChars)
    const content: ContentPart[] = [
      {
        type: "tool_call",
        name: call.name,
        arguments: typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments ?? {}),
        call_id: key,
        kind: call.kind ?? "other",
        ...(title && { title }),
      },
    ]
    this.sink.open({ key, kind: "tool_call", role: "assistant", parent: this.parent, content })
    this.sink.close(key, { status: "completed", content })
  }

  output(id: string, text: string): void {
    if (!this.#open.has(id)) return
    const key = `${this.key(id)}:result`
    if (!this.#streaming.has(id)) {
      this.#streaming.add(id)
      this.sink.open({
        key,
        kind: "tool_result",
        role: "tool",
        parent: this.parent,
        content: [this.#part(id, { output: "" })],
      })
    }
    this.sink.delta(key, { index: 0, type: "output" }, text)
  }

  readonly #streaming = new Set<string>()

  /** The end of a call, once; later ones have to be told by `late`. */
  result(id: string, result: Result): void {
    if (this.#detached.delete(id)) return result.detached ? undefined : this.late(id, result)
    if (!this.#open.delete(id)) return
    this.#close(id, `${this.key(id)}:result`, result, this.#streaming.delete(id))
  }

  /** What became of a call whose result said that the work goes on. */
  late(id: string, result: Result): void {
    this.#close(id, `${this.key(id)}:end`, result, false)
  }

  /** The session's turn is over, that of this thread is not. */
  detach(): void {
    for (const id of [...this.#open]) {
      this.result(id, { output: "The call goes on in the background.", detached: true })
      this.#detached.add(id)
    }
  }

  /** The end of the session's turn has answered what is open. */
  drop(): void {
    this.#open.clear()
  }

  /** Nothing more comes of what has no end yet. */
  end(output: string): void {
    for (const id of [...this.#open, ...this.#detached]) this.result(id, { output, failed: true })
  }

  #close(id: string, key: string, result: Result, opened: boolean): void {
    const content = [this.#part(id, result), ...(result.more ?? [])]
    if (!opened) this.sink.open({ key, kind: "tool_result", role: "tool", parent: this.parent, content })
    this.sink.close(key, { status: result.failed ? "failed" : "completed", content })
  }

  #part(id: string, { output, failed, detached }: Result): ContentPart {
    return {
      type: "tool_result",
      call_id: this.key(id),
      output,
      ...(failed && { is_error: true }),
      ...(detached && { detached: true }),
    }
  }

  refuse(id: string, message: string): void {
    this.#refused.set(id, message)
  }

  /** The words for a call that a person refused. */
  refusal(id: string): string {
    const message = this.#refused.get(id)
    this.#refused.delete(id)
    return message === undefined ? "rejected by user" : `rejected by user: ${message}`
  }

  /** Ids count for one turn: models use them again. */
  clear(): void {
    this.#known.clear()
    this.#open.clear()
    this.#detached.clear()
    this.#streaming.clear()
    this.#refused.clear()
  }
}

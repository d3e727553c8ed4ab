import type { ContentPart, DeltaPart } from "@sandbox-agent/schema/item"
import type { ItemSink } from "../../core/driver-sink.ts"
import type { Item } from "./native.ts"

interface Open {
  key: string
  /** Parts in the order they came, by their native names. */
  parts: Map<string, ContentPart & { text: string }>
}

type Part = "text" | "summary" | "content"

/** What the model of one thread says and thinks. */
export class AssistantText {
  readonly #open = new Map<string, Open>()
  /** How often each id was opened in this turn: one that is said again may have the id it had. */
  readonly #used = new Map<string, number>()
  #round = 0
  /** The last whole text. */
  last = ""

  constructor(
    private readonly sink: ItemSink,
    private readonly prefix: string,
    private readonly parent: string | undefined,
  ) {}

  /** The first word opens it: one that is begun and left empty is nothing. */
  delta(id: string, part: Part, index: number, text: string): void {
    const open = this.#open.get(id) ?? this.#begin(id)
    const name = `${part}${index}`
    let at = [...open.parts.keys()].indexOf(name)
    if (at < 0) {
      at = open.parts.size
      open.parts.set(name, emptyPart(part))
    }
    const type: DeltaPart["type"] = part === "text" ? "text" : "reasoning"
    this.sink.delta(open.key, { index: at, type }, text)
  }

  message({ id, text = "", type }: Item): void {
    if (type === "agentMessage") this.last = text
    if (text === "" && !this.#open.has(id)) return
    this.#end(id, new Map([["text0", { ...emptyPart("text"), text }]]))
  }

  thought({ id, summary = [], content }: Item): void {
    const raw = Array.isArray(content) ? content.map(String) : []
    const parts = new Map([
      ...summary.map((text, index) => [`summary${index}`, { ...emptyPart("summary"), text }] as const),
      ...raw.map((text, index) => [`content${index}`, { ...emptyPart("content"), text }] as const),
    ])
    if (parts.size === 0 && !this.#open.has(id)) return // it is not disclosed
    this.#end(id, parts)
  }

  /** What is open will be said again. */
  retry(): void {
    if (this.#open.size > 0) this.sink.retry(this.#group)
    this.#open.clear()
    this.#round++
  }

  /** What is open was cut off by something else. */
  cut(): void {
    for (const { key } of this.#open.values()) this.sink.close(key, { status: "failed", reason: "cancelled" })
    this.#open.clear()
    this.#round++
  }

  /** A new answer of the model begins. */
  next(): void {
    if (this.#open.size === 0) this.#round++
  }

  clear(): void {
    this.#open.clear()
    this.#used.clear()
    this.last = ""
  }

  get #group(): string {
    return `${this.prefix}answer-${this.#round}`
  }

  #begin(id: string): Open {
    const before = this.#used.get(id) ?? 0
    this.#used.set(id, before + 1)
    const key = `${this.prefix}${id}${before > 0 ? `#${before}` : ""}`
    const open: Open = { key, parts: new Map() }
    this.#open.set(id, open)
    this.sink.open({ key, kind: "message", role: "assistant", parent: this.parent, group: this.#group, content: [] })
    return open
  }

  /** In the order in which the parts were streamed; what was not streamed comes behind. */
  #end(id: string, parts: Map<string, ContentPart & { text: string }>): void {
    const open = this.#open.get(id) ?? this.#begin(id)
    this.#open.delete(id)
    const streamed = [...open.parts].map(([name, empty]) => parts.get(name) ?? empty)
    const more = [...parts].filter(([name]) => !open.parts.has(name)).map(([, part]) => part)
    this.sink.close(open.key, { status: "completed", content: [...streamed, ...more] })
  }
}

/** Summaries are made to be shown; the rest is the model's own thinking. */
function emptyPart(part: Part): ContentPart & { text: string } {
  if (part === "text") return { type: "text", text: "" }
  return { type: "reasoning", text: "", visibility: part === "summary" ? "public" : "private" }
}

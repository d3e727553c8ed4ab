import { acpAgentLimits } from "@sandbox-agent/schema/driver-limits"
import type { ItemSink, PassthroughSink } from "../../core/driver-sink.ts"
import { type Json, record, text } from "../shared/json.ts"
import type { Contents } from "./content.ts"
import type { Turn } from "./turn.ts"

interface Open {
  key: string
  type: "text" | "reasoning"
  messageId: string | undefined
}

/** Chunks of text and thought: those of one message in a row are one item. Not every agent names its messages. */
export class Messages {
  /** What is being said, by the main agent under "" and by each sub-agent under its call. */
  readonly #open = new Map<string, Open>()
  #count = 0
  /** Whose turns end what is said in them. Of a past that is read there are none. */
  #turn: Pick<Turn, "running"> | undefined
  #quiet: ReturnType<typeof setTimeout> | undefined
  /** The end of the last that no message was named for: some tell errors this way. */
  aside = ""

  constructor(
    private readonly sink: ItemSink & PassthroughSink,
    private readonly contents: Contents,
  ) {}

  chunk(type: Open["type"], update: Json, parent: string | undefined): void {
    const content = record(update.content)
    const messageId = text(update.messageId)
    if (content.type !== "text") return this.#whole(content, messageId, parent)
    const said = text(content.text) ?? ""
    // Some agents hang figures on an empty text.
    if (said === "") return this.sink.native("session/update")
    let open = this.#open.get(parent ?? "")
    const begins = open === undefined || open.type !== type || open.messageId !== messageId
    // Codex puts an empty line before each part of a thought, the first included.
    if (begins && type === "reasoning" && said.trim() === "") return this.sink.native("session/update")
    if (open === undefined || begins) {
      this.end(parent)
      this.aside = ""
      open = this.#begin(type, messageId, parent)
    }
    this.#keepAside(messageId === undefined ? said : undefined)
    this.sink.delta(open.key, { index: 0, type }, said)
    this.#endInQuiet()
  }

  /** From now on what is said outside a turn ends by itself. */
  live(turn: Pick<Turn, "running">): void {
    this.#turn = turn
    if (this.#open.size > 0) this.#endInQuiet()
  }

  /** Outside a turn nothing tells that a message is whole but that no more of it comes. */
  #endInQuiet(): void {
    clearTimeout(this.#quiet)
    const turn = this.#turn
    if (turn === undefined || turn.running) return
    this.#quiet = setTimeout(() => !turn.running && this.endAll(), acpAgentLimits.lateMessageMs)
    this.#quiet.unref()
  }

  #keepAside(said: string | undefined): void {
    this.aside = said === undefined ? "" : this.aside + said
    // Its end says why; cut now and then, not with every word.
    if (this.aside.length > 2 * acpAgentLimits.asideChars) this.aside = this.aside.slice(-acpAgentLimits.asideChars)
  }

  /** The model is asked once more: what it was saying comes again. */
  retry(): void {
    const open = this.#open.get("")
    this.#open.delete("")
    if (open !== undefined) this.sink.retry(open.messageId)
  }

  /** Something else comes: what was being said has been said. */
  end(parent?: string): void {
    const open = this.#open.get(parent ?? "")
    if (open === undefined) return
    this.#open.delete(parent ?? "")
    this.sink.close(open.key, { status: "completed" })
  }

  endAll(): void {
    clearTimeout(this.#quiet)
    for (const parent of [...this.#open.keys()]) this.end(parent)
  }

  /** The turn was cut: what was being said stays unfinished, and the core says so. */
  drop(): void {
    this.#open.clear()
  }

  #begin(type: Open["type"], messageId: string | undefined, parent: string | undefined): Open {
    const open = { key: this.#key(messageId), type, messageId }
    this.#open.set(parent ?? "", open)
    const empty =
      type === "text"
        ? { type: "text" as const, text: "" }
        : { type: "reasoning" as const, text: "", visibility: "private" as const }
    this.sink.open({ key: open.key, kind: "message", role: "assistant", parent, group: messageId, content: [empty] })
    return open
  }

  #whole(content: Json, messageId: string | undefined, parent: string | undefined): void {
    this.end(parent)
    const part = this.contents.part(content)
    if (part === undefined) return this.sink.native("session/update")
    const key = this.#key(messageId)
    this.sink.open({ key, kind: "message", role: "assistant", parent, group: messageId, content: [part] })
    this.sink.close(key, { status: "completed", content: [part] })
  }

  #key(messageId: string | undefined): string {
    return `${messageId ?? "message"}:${++this.#count}`
  }
}

import type { Event, EventOf, PlanEntry } from "@sandbox-agent/schema/event"
import type { Item } from "@sandbox-agent/schema/item"
import { partText, stderrText } from "../event-text.ts"
import type { Paint } from "../print.ts"
import { durationText, footerText } from "./footer.ts"
import { MarkdownStream } from "./markdown.ts"
import { callWords, type Look, toolRows } from "./tool-text.ts"
import { cleanLines, wrapped } from "./wrap.ts"

const planMarks = { pending: "☐", in_progress: "◐", completed: "☑" } as const

/** Turns events into rows that stay, and the part of the conversation that is still being written. */
export class ConversationView {
  /** Texts that are not complete, by item. */
  readonly #texts = new Map<string, MarkdownStream>()
  /** Calls whose result is awaited, by call id, and when they began. */
  readonly #calls = new Map<string, { item: Item; began: number }>()
  /** Items of tool calls: what has one as its parent belongs to a sub-agent. */
  readonly #toolItems = new Set<string>()
  readonly #thoughts = new Map<string, number>()
  #turnBegan: number | undefined
  #plan: readonly PlanEntry[] = []
  #separate = false

  constructor(
    private readonly paint: Paint,
    private readonly width: () => number,
    /** Paths in it are told without it. */
    private readonly directory: string,
  ) {}

  /** The plan of the turn that runs. */
  plan(): string[] {
    return this.#plan.flatMap(({ status, content }) =>
      wrapped(`${planMarks[status]} ${cleanLines(content).join(" ")}`, this.width(), "  "),
    )
  }

  /** What is being said just now. */
  tail(): string[] {
    return [...this.#texts.values()].flatMap((text) => text.tail())
  }

  /** What the agent does just now, in a few words. */
  get doing(): string {
    const [call] = [...this.#calls.values()].slice(-1)
    const part = call?.item.content.find((one) => one.type === "tool_call")
    if (part !== undefined) return this.short(cleanLines(callWords(part)).join(" "))
    return this.#thoughts.size > 0 ? "thinking" : "working"
  }

  get turnBegan(): number | undefined {
    return this.#turnBegan
  }

  /** Rows that are complete with this event. */
  event(event: Event): string[] {
    const at = Date.parse(event.time)
    switch (event.type) {
      case "turn.started":
        this.#turnBegan = at
        return []
      case "item.started":
        return this.#started(event.data.item, at)
      case "item.delta":
        return this.#delta(event.data)
      case "item.completed":
        return this.item(event.data.item, at)
      case "turn.ended":
        return this.#turnEnded(event.data, at)
      case "plan.updated":
        this.#plan = event.data.entries
        return []
      case "message.updated":
        if (event.data.state !== "failed") return []
        return this.#said("red", `✗ the message was not taken: ${event.data.error?.message ?? "no reason was given"}`)
      case "permission.resolved":
        return event.data.by === "client" || event.data.status === "cancelled"
          ? []
          : this.#said(
              "dim",
              `${event.data.status === "reject" ? "refused" : "allowed"} by ${event.data.by ?? "the daemon"}: ${event.data.action}`,
            )
      case "session.updated":
        return event.data.context === "rebuilt"
          ? this.#said("dim", `the agent begins anew and is told of this session: ${event.data.reason ?? ""}`)
          : []
      case "session.ended":
        return this.#said("dim", `the session has ended: ${event.data.message ?? event.data.reason}`)
      case "error":
        return this.#said("red", `✗ ${event.data.message}`)
      default:
        return []
    }
  }

  /** A whole item, of the past or as it is completed. */
  item(item: Item, at?: number): string[] {
    if (item.parent_id !== undefined && this.#toolItems.has(item.parent_id) && item.kind !== "tool_result") return []
    if (item.kind === "tool_call") {
      this.#keepCall(item, at ?? 0)
      return []
    }
    if (item.kind === "tool_result") return this.#result(item, at)
    if (item.kind === "status") return this.#status(item)
    if (item.kind === "unknown" || item.kind === "system") return []
    if (item.role === "user") return this.#user(item)
    return this.#assistant(item, at)
  }

  #started(item: Item, at: number): string[] {
    if (item.kind === "tool_call") this.#keepCall(item, at)
    if (isThought(item)) this.#thoughts.set(item.item_id, at)
    return []
  }

  #keepCall(item: Item, at: number): void {
    this.#toolItems.add(item.item_id)
    const part = item.content.find((one) => one.type === "tool_call")
    if (part !== undefined) this.#calls.set(part.call_id, { item, began: this.#calls.get(part.call_id)?.began ?? at })
  }

  #result(item: Item, at: number | undefined): string[] {
    const part = item.content.find((one) => one.type === "tool_result")
    const call = this.#calls.get(part?.call_id ?? "")
    this.#calls.delete(part?.call_id ?? "")
    const seconds = call?.began && at ? (at - call.began) / 1_000 : undefined
    return this.#block(toolRows(call?.item, item, seconds, this.#look()))
  }

  #status(item: Item): string[] {
    // Most are notes of the agent to itself; what went wrong is for people.
    const text = item.content.map(partText).join(" ")
    return /fail|retry|error|compact/i.test(text) ? this.#said("dim", `· ${text}`) : []
  }

  #user(item: Item): string[] {
    const texts = item.content.filter((part) => part.type === "text").map(partText)
    const files = item.content.flatMap((part) =>
      part.type === "file_ref" || part.type === "image" ? [this.short(part.path ?? "a picture")] : [],
    )
    const rows = cleanLines(texts.join("\n")).flatMap((line) => wrapped(line, this.width() - 2))
    const said = rows.map((row, i) => `${this.paint("bold", i === 0 ? "›" : " ")} ${this.paint("bold", row)}`)
    return [...this.#gap(), ...said, ...files.map((file) => this.paint("dim", `  + ${file}`))]
  }

  #assistant(item: Item, at: number | undefined): string[] {
    if (isThought(item)) {
      const began = this.#thoughts.get(item.item_id)
      this.#thoughts.delete(item.item_id)
      const took = began !== undefined && at !== undefined ? ` ${durationText(at - began)}` : ""
      return this.#said("dim", `▸ thought${took}`)
    }
    const whole = item.content.map(partText).join("\n")
    const known = this.#texts.get(item.item_id)
    this.#texts.delete(item.item_id)
    // The completed item is the truth: what is missing is added, anything else is said anew.
    if (known !== undefined && whole.startsWith(known.text))
      return [...known.push(whole.slice(known.text.length)), ...known.end()]
    if (whole === "") return []
    const fresh = this.#fresh()
    return [...this.#gap(), ...fresh.push(whole), ...fresh.end()]
  }

  #delta({ item_id: id, delta, part, reset }: EventOf<"item.delta">["data"]): string[] {
    if (part.type !== "text") return []
    const known = reset ? undefined : this.#texts.get(id)
    const text = known ?? this.#fresh()
    this.#texts.set(id, text)
    return [...(known === undefined ? this.#gap() : []), ...text.push(delta)]
  }

  #turnEnded(data: EventOf<"turn.ended">["data"], at: number): string[] {
    const open = [...this.#texts.values()].flatMap((text) => text.end())
    const unanswered = [...this.#calls.values()].flatMap(({ item }) =>
      toolRows(item, undefined, undefined, this.#look()),
    )
    this.#texts.clear()
    this.#calls.clear()
    this.#thoughts.clear()
    const stderr = stderrText(data.error?.stderr)
    const failed = [
      ...(data.error ? this.#said("red", `✗ ${data.error.message}`) : []),
      ...(stderr === "" ? [] : this.#said("dim", `stderr of the agent:\n${stderr}`)),
    ]
    const reason =
      data.stop_reason === "end_turn" || data.error ? "" : `${stopWords[data.stop_reason] ?? data.stop_reason} · `
    const plan = this.plan()
    this.#plan = []
    const footer = footerText(data, this.#turnBegan === undefined ? undefined : at - this.#turnBegan)
    this.#turnBegan = undefined
    this.#separate = true
    return [
      ...open,
      ...unanswered,
      ...plan,
      ...failed,
      ...(footer === "" ? [] : [this.paint("dim", `— ${reason}${footer}`)]),
    ]
  }

  #look(): Look {
    return { paint: this.paint, width: this.width(), short: (text) => this.short(text) }
  }

  /** A text without the directory that everything is in. */
  short(text: string): string {
    return text.replaceAll(`${this.directory}/`, "")
  }

  #said(colour: "dim" | "red", text: string): string[] {
    const rows = cleanLines(text).flatMap((line) => wrapped(line, this.width(), "  "))
    return this.#block(rows.map((row) => this.paint(colour, row)))
  }

  #block(rows: string[]): string[] {
    this.#separate = true
    return rows
  }

  /** An empty row before prose that follows something else. */
  #gap(): string[] {
    const gap = this.#separate ? [""] : []
    this.#separate = true
    return gap
  }

  #fresh(): MarkdownStream {
    return new MarkdownStream(this.paint, this.width)
  }
}

const stopWords: Readonly<Record<string, string>> = {
  cancelled: "stopped",
  max_tokens: "cut: the answer was too long",
  max_turn_requests: "cut: too many steps",
  refusal: "refused",
}

const isThought = (item: Item): boolean =>
  item.content.length > 0 && item.content.every((part) => part.type === "reasoning")

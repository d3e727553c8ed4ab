import type { Stderr } from "@sandbox-agent/schema/error"
import type { Event, EventOf } from "@sandbox-agent/schema/event"
import type { Item } from "@sandbox-agent/schema/item"
import { itemText, partText, permissionText, stderrText } from "./event-text.ts"
import { type Colour, type Paint, printable } from "./print.ts"

/** Lines of a tool's output shown; the rest is counted. */
const outputLines = 12

/** What the reader of a transcript does besides reading. */
export interface Reader {
  /** Sent the message by the same command: no echo of it and no note of a plain end. */
  readonly sent?: boolean
  /** Is asked at the terminal: no note of what is asked and answered there. */
  readonly asked?: boolean
}

/** Turns the events of a session into a text people read, deltas in place as they come. */
export class Transcript {
  /** The item and kind of delta the line being written belongs to. */
  private open = ""
  /** What was written of each item that is not completed. */
  private readonly written = new Map<string, string>()

  constructor(
    private readonly paint: Paint,
    private readonly reader: Reader = {},
  ) {}

  event(event: Event): string {
    switch (event.type) {
      case "item.delta":
        return this.delta(event.data)
      case "item.completed":
        return this.item(event.data.item)
      case "turn.ended":
        return this.turnEnded(event.data)
      case "message.updated":
        if (event.data.state !== "failed" && event.data.state !== "withdrawn") return ""
        return (
          this.line("red", `[message ${event.data.state}]`, event.data.error?.message ?? event.data.message_id) +
          this.stderr(event.data.error)
        )
      case "permission.requested":
        if (this.reader.asked) return this.end()
        return (
          this.line("yellow", "[permission]", permissionText(event.data)) +
          this.replyHint(event, event.data.permission_id)
        )
      case "permission.resolved":
        if (this.reader.asked && event.data.by === "client") return ""
        return this.line("yellow", "[permission]", `${permissionText(event.data)}: ${event.data.status}`)
      case "question.requested":
        if (this.reader.asked) return this.end()
        return (
          this.line("yellow", "[question]", questionText(event.data)) + this.replyHint(event, event.data.question_id)
        )
      case "question.resolved":
        if (this.reader.asked) return ""
        return this.line("yellow", "[question]", `${event.data.prompt}: ${event.data.response ?? event.data.status}`)
      case "plan.updated":
        return this.line(
          "cyan",
          "[plan]",
          event.data.entries.map((e) => `\n  ${planMark[e.status]} ${e.content}`).join(""),
        )
      case "session.started":
        return this.line("dim", "[session]", event.data.resumed ? "resumed" : "started")
      case "session.ended":
        return (
          this.line("dim", "[session]", `ended: ${event.data.message ?? event.data.reason}`) + this.stderr(event.data)
        )
      case "error":
        return this.line("red", "[error]", event.data.message)
      case "agent.unparsed":
        return this.line("red", "[unparsed]", event.data.error)
      default:
        return ""
    }
  }

  /** A whole item; what its deltas already showed is not said again. */
  item(item: Item): string {
    const written = this.written.get(item.item_id)
    this.written.delete(item.item_id)
    // Called after what comes before it: it ends the line being written.
    const failed = (): string =>
      item.status === "failed" && !isToolError(item)
        ? this.line(
            "red",
            "[failed]",
            failureWords[String(item.metadata?.reason)] ?? String(item.metadata?.reason ?? item.kind),
          )
        : ""
    if (item.kind === "tool_call" || item.kind === "tool_result" || item.kind === "status" || item.kind === "unknown")
      return item.content.map((part) => this.part(item, part)).join("") + failed()
    const text = itemText(item)
    if (item.role === "user") return (this.reader.sent ? "" : this.line("bold", ">", text)) + failed()
    if (written === undefined) return (text ? `${this.end()}${this.body(item, text)}\n` : "") + failed()
    // The completed item is the truth: what is missing is added, anything else is said anew.
    const rest = text.startsWith(written) ? text.slice(written.length) : `\n${text}`
    return `${this.body(item, rest)}${this.end()}${failed()}`
  }

  /** Ends the line being written, if one is. */
  end(): string {
    const open = this.open !== ""
    this.open = ""
    return open ? "\n" : ""
  }

  private body(item: Item, text: string): string {
    const reasoning = item.content.every((part) => part.type === "reasoning")
    return reasoning ? this.paint("dim", printable(text)) : printable(text)
  }

  private delta(data: EventOf<"item.delta">["data"]): string {
    const { item_id: id, delta, part, reset } = data
    // Arguments and output are shown whole when they are complete.
    if (part.type !== "text" && part.type !== "reasoning") return ""
    const line = `${id}/${part.index}`
    const start = this.open === line && !reset ? "" : this.end()
    this.open = line
    this.written.set(id, reset ? delta : (this.written.get(id) ?? "") + delta)
    return start + (part.type === "reasoning" ? this.paint("dim", printable(delta)) : printable(delta))
  }

  private part(item: Item, part: Item["content"][number]): string {
    if (part.type === "status") return this.line("dim", "[status]", partText(part))
    if (part.type === "tool_call")
      return this.line("cyan", "[tool]", `${part.title ?? part.name} ${part.arguments}`.slice(0, 500))
    if (part.type === "tool_result")
      return this.line(part.is_error ? "red" : "dim", part.is_error ? "[tool error]" : "[output]", clipped(part.output))
    return this.line("dim", `[${item.kind}]`, clipped(partText(part)))
  }

  private turnEnded(data: EventOf<"turn.ended">["data"]): string {
    this.written.clear()
    if (data.error)
      return this.line("red", "[turn ended]", `${data.stop_reason}: ${data.error.message}`) + this.stderr(data.error)
    return this.reader.sent && data.stop_reason === "end_turn"
      ? this.end()
      : this.line("dim", "[turn ended]", data.stop_reason)
  }

  /** What an agent that went away said last. */
  private stderr(of: { readonly stderr?: Stderr | undefined } | undefined): string {
    const text = stderrText(of?.stderr)
    return text === "" ? "" : this.line("dim", "[stderr]", text)
  }

  private line(colour: Colour, label: string, text: string): string {
    return `${this.end()}${this.paint(colour, label)} ${printable(text)}\n`
  }

  private replyHint(event: Event, id: string): string {
    if (this.reader.sent || event.replayed) return ""
    const [command, choice] =
      event.type === "permission.requested"
        ? ["reply-permission", "once|always|reject"]
        : ["reply-question", "<answer>..."]
    return this.paint("dim", `  answer with: sandbox-agent sessions ${command} ${event.session_id} ${id} ${choice}\n`)
  }
}

/** Reasons of items that were not completed, as they are told to people. */
const failureWords: Readonly<Record<string, string>> = { lost: "the rest of it is lost" }

/** Its output is red already. */
const isToolError = (item: Item): boolean => item.content.some((part) => part.type === "tool_result" && part.is_error)

const planMark = { pending: "[ ]", in_progress: "[~]", completed: "[x]" } as const

const questionText = (question: EventOf<"question.requested">["data"]): string =>
  question.questions.map((q) => [q.prompt, ...q.options.map((o) => `\n  - ${o.label}`)].join("")).join("\n")

function clipped(text: string): string {
  const lines = text.trimEnd().split("\n")
  const rest = lines.length - outputLines
  return rest > 0 ? `${lines.slice(0, outputLines).join("\n")}\n… ${rest} more lines` : lines.join("\n")
}

import type { PlanEntry } from "@sandbox-agent/schema/event"
import type { LineOutcome, Sink } from "../../core/driver-sink.ts"
import type { Blocks } from "./blocks.ts"
import type { Conversations } from "./conversations.ts"
import { contextSize, type Directory } from "./directories.ts"
import type { Message, NativeEvent, Part, Session, SessionStatus, Todo } from "./native.ts"
import type { PendingRequests } from "./pending-requests.ts"
import type { Titles } from "./titles.ts"
import type { Tools } from "./tools.ts"
import type { Turns } from "./turns.ts"
import { usageOf } from "./usage.ts"

export interface SessionParts {
  sink: Sink
  directory: Directory
  conversations: Conversations
  turns: Turns
  blocks: Blocks
  tools: Tools
  asks: PendingRequests
  titles: Titles
  /** Hears of this session from now on. */
  follow(session: string): void
}

/** Makes a reader of OpenCode's events of one session. */
export function createReceiver(parts: SessionParts): (event: NativeEvent) => LineOutcome {
  const { sink, conversations, turns, blocks, asks } = parts
  const isMain = (session: string): boolean => session === conversations.main
  return (event) => {
    switch (event.type) {
      case "message.part.delta":
        return event.properties.field === "text"
          ? blocks.delta(event.properties.partID, event.properties.delta)
          : undefined
      case "message.part.updated":
        return takePart(parts, event.properties.part)
      case "message.updated":
        return takeMessage(parts, event.properties.info)
      case "session.status":
        return takeStatus(parts, event.properties.sessionID, event.properties.status)
      case "session.idle":
        return isMain(event.properties.sessionID) ? turns.idle() : undefined
      case "session.error": {
        const { sessionID = "", error } = event.properties
        if (error === undefined) return
        conversations.break(sessionID, error.name === "MessageAbortedError" ? "cancelled" : "error")
        return isMain(sessionID) ? turns.error(error) : undefined
      }
      case "permission.asked":
        return asks.permission(event.properties)
      case "question.asked":
        return asks.question(event.properties)
      case "permission.replied":
      case "question.replied":
      case "question.rejected":
        return asks.resolved(event.properties.requestID)
      case "todo.updated":
        return isMain(event.properties.sessionID) ? sink.plan(planOf(event.properties.todos)) : undefined
      case "session.updated":
        return isMain(event.properties.sessionID) ? takeInfo(parts, event.properties.info) : undefined
      case "session.compacted":
        return sink.status("compacted")
      case "command.executed":
        return sink.status("command", `/${event.properties.name}`)
      case "message.part.removed":
        return blocks.removed(event.properties.partID)
      case "session.deleted":
        return isMain(event.properties.sessionID) ? sink.ended() : undefined
      case "session.created":
      case "session.diff":
      case "message.removed":
        return
      default:
        return "unknown"
    }
  }
}

function takePart({ sink, conversations, blocks, tools, directory, follow }: SessionParts, part: Part): void {
  const context = conversations.contextOf(part.sessionID, part.messageID)
  if (!conversations.isAssistant(part.messageID)) return
  if (part.type === "text" || part.type === "reasoning") return blocks.part(part, context)
  if (part.type === "tool") {
    const child = conversations.task(part)
    if (child !== undefined) follow(child)
    return tools.part(part, context)
  }
  if (part.type !== "step-finish") return
  const { providerID, modelID } = conversations.model(part.messageID)
  const main = part.sessionID === conversations.main
  const used = usageOf(part, main, contextSize(directory, providerID, modelID))
  if ((used.input_tokens ?? 0) + (used.output_tokens ?? 0) > 0) sink.usage(used)
}

function takeMessage({ conversations, turns }: SessionParts, info: Message): void {
  conversations.message(info)
  if (info.sessionID !== conversations.main) return
  if (info.role === "user") turns.user(info)
  else turns.assistant(info)
}

function takeStatus(
  { sink, conversations, turns, blocks }: SessionParts,
  session: string,
  status: SessionStatus,
): void {
  if (status.type === "retry") {
    blocks.retried(conversations.current(session))
    return sink.status("retry", `attempt ${status.attempt}: ${status.message}`)
  }
  // `idle` is followed by an event of its own.
  if (status.type === "busy" && session === conversations.main) turns.busy()
}

function takeInfo({ titles }: SessionParts, { title }: Session): void {
  titles.reported(title)
}

const states = ["pending", "in_progress", "completed"] as const

/** What was given up is no longer planned. */
const planOf = (todos: readonly Todo[]): PlanEntry[] =>
  todos
    .filter(({ status }) => status !== "cancelled")
    .map(({ content, status, priority }) => ({
      content,
      status: states.find((state) => state === status) ?? "pending",
      ...(priority && { priority }),
    }))

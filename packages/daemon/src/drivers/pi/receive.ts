import { piLimits } from "@sandbox-agent/schema/driver-limits"
import { parseOfAgent } from "@sandbox-agent/schema/json-depth"
import type { LineOutcome, Sink } from "../../core/driver-sink.ts"
import { record, text } from "../shared/json.ts"
import type { KeptFile } from "../shared/kept-file.ts"
import type { Blocks } from "./blocks.ts"
import type { Durable } from "./durable.ts"
import { lifeNote } from "./life.ts"
import type { Models } from "./models.ts"
import type { DialogLine, Line, Message, ResponseLine } from "./native.ts"
import { errorOf } from "./outcome.ts"
import type { PendingRequests } from "./pending-requests.ts"
import type { Started } from "./process.ts"
import { type Results, textIn } from "./results.ts"
import type { Turns } from "./turns.ts"
import { usageOf } from "./usage.ts"

export interface Parts {
  sink: Sink
  durable: Durable
  kept: KeptFile
  turns: Turns
  blocks: Blocks
  results: Results
  requests: PendingRequests
  models: Models
  settle: Started["settle"]
}

/** Makes a reader of Pi's lines. It throws on what is not JSON. */
export function createReceiver(parts: Parts): (raw: string) => LineOutcome {
  const { sink, durable, kept, turns, blocks, results, requests, models } = parts
  const settled = (aborted?: boolean): void => {
    results.end()
    requests.turnEnded()
    durable.look()
    turns.settled(aborted)
    kept.last = turns.leaf
    void kept.look()
  }
  return (raw) => {
    const line = JSON.parse(raw) as Line
    switch (line.type) {
      case "response":
        return answered(parts, line)
      case "extension_ui_request":
        return line.method === "setStatus" ? statusSet(parts, line) : requests.request(line)
      case "message_start":
        return messageBegan(parts, line.message)
      case "message_update":
        return blocks.update(line.assistantMessageEvent)
      case "message_end":
        return line.message.role === "assistant" ? assistantSaid(parts, line.message) : undefined
      case "tool_execution_start":
        return results.started(line)
      case "tool_execution_update":
        return results.updated(line)
      case "tool_execution_end":
        requests.callEnded(line.toolCallId)
        return results.ended(line)
      case "agent_start":
        return turns.began()
      case "agent_end":
        blocks.settle(line.willRetry === true)
        // What does not say whether it goes on does not say when it is done, either.
        return line.willRetry === undefined ? settled() : undefined
      case "agent_settled":
        return settled(line.aborted)
      case "thinking_level_changed":
        return models.levelReported(line.level)
      case "session_info_changed":
        return line.name ? sink.session({ title: line.name }) : undefined
      default:
        return lifeNote(line, sink)
    }
  }
}

/** By these our extension tells the last entry of the session, and servers that did not start; others are for a screen. */
export const STATUS_KEY = "sandbox-agent"
export const MCP_STATUS_KEY = "sandbox-agent-mcp"

function statusSet({ sink, turns }: Parts, { statusKey, statusText = "" }: DialogLine): void {
  if (statusKey === STATUS_KEY) turns.leaf = statusText || undefined
  if (statusKey !== MCP_STATUS_KEY) return
  const { name, reason } = record(parseOfAgent(statusText))
  sink.mcpFailed(text(name) ?? "unknown", text(reason) ?? "no reason")
}

/** One that nobody waits for: older versions refuse a message after they took it. */
function answered({ settle, turns }: Parts, line: ResponseLine): LineOutcome {
  if (settle(line)) return
  if (line.success) return
  if (line.command !== "prompt") return "unknown"
  turns.refused(errorOf(line.error ?? "no reason"))
}

function messageBegan({ sink, turns, blocks }: Parts, message: Message): void {
  if (message.role === "assistant") return blocks.begin()
  if (message.role === "user") return turns.userSaid(textOf(message))
  if (message.role !== "custom" || message.display !== true) return
  // What an extension adds for people to see.
  const content = [{ type: "text" as const, text: textOf(message).slice(0, piLimits.noteChars) }]
  const key = `custom:${crypto.randomUUID()}`
  sink.open({ key, kind: "system", content })
  sink.close(key, { status: "completed", content })
}

function assistantSaid({ sink, durable, turns, blocks, models }: Parts, message: Message): void {
  blocks.end(message)
  turns.answered(message)
  const used = usageOf(message.usage, models.contextSize)
  if (used !== undefined) sink.usage(used)
  durable.look()
}

const textOf = ({ content = [] }: Message): string => (typeof content === "string" ? content : textIn({ content }))

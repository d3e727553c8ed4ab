import type { PlanEntry } from "@sandbox-agent/schema/event"
import type { LineOutcome, PassthroughSink, SessionPatch, SessionSink } from "../../core/driver-sink.ts"
import { at, type Json, list, record, text } from "../shared/json.ts"
import { isRefusal } from "../shared/refusal.ts"
import type { AcpAgent } from "./agent.ts"
import type { Chooser } from "./chooser.ts"
import type { Messages } from "./messages.ts"
import type { ModeGuard } from "./mode-guard.ts"
import { parentOf } from "./tool.ts"
import type { ToolCalls } from "./tool-calls.ts"
import type { Turn } from "./turn.ts"
import type { UsageMeter } from "./usage.ts"

export interface UpdateParts {
  agent: Pick<AcpAgent, "traits">
  sink: PassthroughSink & SessionSink
  messages: Messages
  tools: ToolCalls
  chooser: Chooser
  guard: ModeGuard
  usage: UsageMeter
  turn: Turn
}

/** One `session/update`. */
export function applyUpdate(
  update: Json,
  { agent, sink, messages, tools, chooser, guard, usage, turn }: UpdateParts,
): LineOutcome {
  switch (update.sessionUpdate) {
    case "agent_message_chunk": {
      const said = text(record(update.content).text) ?? ""
      const mode = agent.traits.modeInWords ? modeIn(said, chooser) : undefined
      if (mode !== undefined) return guard.reported(chooser.modeChanged(mode))
      const tokens = usage.chunk(update)
      if (tokens !== undefined) sink.usage(tokens)
      const parent = parentOf(update)
      tools.endRefused(parent)
      return messages.chunk("text", update, parent)
    }
    case "agent_thought_chunk": {
      const parent = parentOf(update)
      tools.endRefused(parent)
      return messages.chunk("reasoning", update, parent)
    }
    case "user_message_chunk":
      // The echo of what we sent; the core has shown it.
      return sink.native("session/update")
    case "tool_call":
    case "tool_call_update":
      return tools.update(update)
    case "plan":
      return sink.plan(entriesOf(update.entries))
    case "plan_update":
      return sink.plan(entriesOf(record(update.plan).entries ?? update.entries))
    case "plan_removed":
      return sink.plan([])
    case "available_commands_update":
      return sink.session({ commands: commandsOf(update.availableCommands) })
    case "current_mode_update":
      return guard.reported(chooser.modeChanged(text(update.currentModeId) ?? ""))
    case "config_option_update":
      guard.reported(chooser.optionsChanged(update))
      // Options of its own are settings to nobody but a client of this protocol.
      return sink.native("session/update")
    case "session_info_update":
      return sessionInfo(update, sink, messages, turn)
    case "usage_update":
      return sink.usage(usage.update(update))
    case "notice":
      return sink.status("notice", [update.severity, update.title, update.description].filter(Boolean).join(": "))
    case "compaction_update":
      return sink.status(
        "compaction",
        [update.status, update.summary, update.error].flatMap((one) => text(one) ?? []).join(": "),
      )
    case "compaction_summary_chunk":
      return sink.native("session/update")
    default:
      return "unknown"
  }
}

/** Where an agent says in words that its mode has changed: the mode, if it is one of its own. */
function modeIn(said: string, { options }: Chooser): string | undefined {
  const mode = /^\[MODE_UPDATE\] (\S+)$/.exec(said)?.[1]
  return options.mode?.values.some(({ id }) => id === mode) ? mode : undefined
}

/** Where Codex also tells what becomes of a request to the model. */
function sessionInfo(update: Json, sink: PassthroughSink & SessionSink, messages: Messages, turn: Turn): void {
  const { threadStatus, error } = record(at(update, "_meta", "codex"))
  if (record(threadStatus).type === "systemError") turn.failed = true
  const { willRetry, message } = record(error)
  if (willRetry === true) {
    messages.retry()
    return sink.status("retry", text(message))
  }
  const title = text(update.title)
  if (!title || isRefusal(title)) return sink.native("session/update")
  sink.session({ title })
  // One that it has told before changes nothing here.
  sink.native("session/update")
}

const states = ["pending", "in_progress", "completed"] as const

const entriesOf = (entries: unknown): PlanEntry[] =>
  list(entries).map((one) => {
    const { content, status, priority } = record(one)
    return {
      content: text(content) ?? "",
      status: states.find((state) => state === status) ?? "pending",
      ...(priority === "high" || priority === "medium" || priority === "low" ? { priority } : {}),
    }
  })

const commandsOf = (commands: unknown): NonNullable<SessionPatch["commands"]> =>
  list(commands).flatMap((one) => {
    const { name, description, input } = record(one)
    if (text(name) === undefined) return []
    const hint = text(record(input).hint)
    return [
      { name: text(name) ?? "", ...(description ? { description: String(description) } : {}), ...(hint && { hint }) },
    ]
  })

import type { NativeRef } from "../../core/driver.ts"
import type { ItemSink, LineOutcome, LineSink, SessionSink } from "../../core/driver-sink.ts"
import type { Blocks } from "./blocks.ts"
import { commandsOf } from "./catalog.ts"
import { sessionFile } from "./home.ts"
import type { McpStatus } from "./mcp-status.ts"
import type { Models } from "./models.ts"
import type { Modes } from "./modes.ts"
import type { SystemLine } from "./native.ts"
import type { Tasks } from "./tasks.ts"
import type { Turns } from "./turns.ts"
import type { UsageMeter } from "./usage.ts"

export interface SystemParts {
  sink: ItemSink & LineSink & SessionSink
  ref: NativeRef
  turns: Turns
  blocks: Blocks
  tasks: Tasks
  usage: UsageMeter
  modes: Modes
  models: Models
  servers: McpStatus
}

/** Known, and of no use to anyone who watches a session. */
const silent = [
  ...["thinking_tokens", "session_state_changed", "ui_invalidate", "task_progress", "files_persisted"],
  ...["hook_started", "hook_progress", "hook_response", "elicitation_complete", "memory_recall", "mirror_error"],
  ...["control_request_progress", "plugin_install", "worker_shutting_down"],
]

/** Reads a `system` line. */
export function systemLine(parts: SystemParts, line: SystemLine): LineOutcome {
  const { sink, turns, tasks } = parts
  if (silent.includes(line.subtype)) return
  switch (line.subtype) {
    case "init":
      return init(parts, line)
    case "status":
      return status(parts, line)
    case "api_retry":
      sink.status("api_retry", retryText(line))
      // While sub-agents work nobody knows whose request it was; then the next message tells.
      return tasks.delegating ? undefined : parts.blocks.retry()
    case "compact_boundary":
      return sink.status("compacted", compactText(line))
    case "session_title_changed":
      return sink.session({ title: line.title ?? "" })
    case "commands_changed":
      return sink.session({ commands: commandsOf(line.commands) })
    case "task_started":
      return tasks.started(line)
    case "task_updated":
      return tasks.updated(line)
    case "background_tasks_changed":
      return tasks.changed(line)
    case "task_notification":
      return tasks.ended(line) ? turns.backgroundEnded() : undefined
    case "permission_denied":
      return sink.status("permission_denied", `${line.tool_name ?? "tool"}: ${line.message ?? ""}`)
    case "informational":
    case "notification":
    case "local_command_output":
    case "model_refusal_fallback":
    case "model_refusal_no_fallback":
    case "session_writes_lost":
      return sink.status(line.subtype, line.content ?? line.text)
    default:
      return "unknown"
  }
}

/** The start of every turn; after `/clear` it brings another session. */
function init({ sink, ref, turns, usage, models, servers }: SystemParts, line: SystemLine): void {
  if (line.session_id !== undefined && line.session_id !== ref.id) {
    ref.id = line.session_id
    ref.durable = false
    sink.session({ nativeSessionId: ref.id, durable: false })
  }
  usage.model = line.model ?? ""
  turns.init()
  models.reported(line.model)
  servers.turnBegan(line.mcp_servers)
}

function status({ sink, ref, turns, modes }: SystemParts, line: SystemLine): void {
  for (const uuid of line.user_message_uuids ?? []) turns.take(uuid)
  modes.reported(line.permissionMode)
  if (line.status === "compacting") sink.status("compacting")
  if (line.status === "requesting") noteIfOnDisk(ref, sink)
}

/** It writes its file with a delay: what is not there yet could not be resumed if it were killed now. */
export function noteIfOnDisk(ref: NativeRef, sink: ItemSink & LineSink & SessionSink): void {
  if (!ref.durable) sink.after(onDisk(ref), (found) => found && noteDurable(ref, sink))
}

export async function onDisk({ home, id }: NativeRef): Promise<boolean> {
  return id !== undefined && (await sessionFile(home, id)) !== undefined
}

export function noteDurable(ref: NativeRef, sink: ItemSink & LineSink & SessionSink): void {
  if (ref.durable) return
  ref.durable = true
  sink.session({ durable: true })
}

function retryText({ attempt, max_retries, error_status, error, retry_delay_ms }: SystemLine): string {
  const why = [error_status, error].filter((part) => part !== undefined && part !== null).join(" ")
  return `attempt ${attempt} of ${max_retries} after ${why || "an error"}, in ${retry_delay_ms} ms`
}

const compactText = ({ compact_metadata: about }: SystemLine): string =>
  `${about?.trigger ?? "unknown"}, from ${about?.pre_tokens ?? "?"} to ${about?.post_tokens ?? "?"} tokens`

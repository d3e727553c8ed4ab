import type { TurnError } from "@sandbox-agent/schema/event"
import type { LineOutcome } from "../../core/driver-sink.ts"
import type { AssistantLine, Line, ResultLine, StreamLine, TokenUsage, UserLine } from "./native.ts"
import { outcomeOf, saidError } from "./outcome.ts"
import type { PendingRequests } from "./pending-requests.ts"
import type { Started } from "./process.ts"
import type { Results } from "./results.ts"
import { noteDurable, noteIfOnDisk, type SystemParts, systemLine } from "./system.ts"

import type { Transcript } from "./transcript.ts"

export interface Parts extends SystemParts {
  results: Results
  asks: PendingRequests
  settle: Started["settle"]
  transcript: Transcript
}

/** Makes a reader of Claude Code's lines. It throws on what is not JSON. */
export function createReceiver(parts: Parts): (raw: string) => LineOutcome {
  const { sink, turns, asks, settle, usage } = parts
  const turn = new TurnReader(parts)
  return (raw) => {
    const line = JSON.parse(raw) as Line
    switch (line.type) {
      case "stream_event":
        return turn.stream(line)
      case "assistant":
        return turn.assistant(line)
      case "user":
        return turn.user(line)
      case "result":
        return turn.result(line)
      case "system":
        return systemLine(parts, line)
      case "command_lifecycle":
        return turns.lifecycle(line)
      case "control_request":
        return asks.request(line)
      case "control_response":
        return settle(line)
      case "control_cancel_request":
        return asks.cancelled(line.request_id)
      case "conversation_reset":
        usage.reset()
        return sink.status("conversation_reset", line.trigger)
      case "tool_progress":
        return sink.status("tool_progress", `${line.tool_name ?? "tool"}: ${line.elapsed_time_seconds ?? "?"} s`)
      case "rate_limit_event": {
        const { status = "allowed", rateLimitType } = line.rate_limit_info ?? {}
        return status === "allowed" ? undefined : sink.status("rate_limit", [status, rateLimitType].join(" "))
      }
      case "keep_alive":
      case "auth_status":
      case "tool_use_summary":
      case "prompt_suggestion":
        return
      default:
        return "unknown"
    }
  }
}

/** What is said and done in a turn. */
class TurnReader {
  /** Usage that the message being streamed began with. */
  #started: TokenUsage | undefined
  #error: TurnError | undefined
  /** Something was said: the text of the result says no more. */
  #spoke = false

  constructor(private readonly parts: Parts) {}

  stream(line: StreamLine): void {
    const { sink, blocks, usage, ref } = this.parts
    const { event } = line
    // The daemon may be killed in a first answer: the question is on disk by now, and must be found again.
    if (event.type !== "content_block_delta") noteIfOnDisk(ref, sink)
    blocks.stream(line)
    if (line.parent_tool_use_id) return
    if (event.type === "message_start") this.#started = event.message.usage
    if (event.type === "message_delta") usage.message({ ...this.#started, ...event.usage })
  }

  assistant(line: AssistantLine): void {
    const { blocks, results, turns } = this.parts
    if (line.error !== undefined && !line.parent_tool_use_id) {
      this.#error = saidError(line) // its result tells the rest
      return
    }
    // An older version does not say that a block was cut short.
    const aborted = line.aborted ?? (turns.interrupted && !turns.reportsMessageState)
    blocks.assistant({ ...line, aborted })
    results.called(line)
    if (line.parent_tool_use_id) return
    this.#spoke = true
    if (line.uuid !== undefined) this.parts.transcript.last = line.uuid
  }

  /** Never what a person said: that is logged when it is taken. */
  user(line: UserLine): void {
    const { turns, results } = this.parts
    if (line.isReplay) return turns.take(line.uuid)
    if (!line.isSynthetic) results.take(line)
  }

  result(line: ResultLine): void {
    const { sink, ref, blocks, turns, usage, transcript } = this.parts
    const outcome = outcomeOf(line, this.#error)
    if (!this.#spoke && outcome.stop === "end_turn" && line.result) this.#say(line.result)
    blocks.end()
    const used = usage.result(line)
    if (used !== undefined) sink.usage(used)
    // A command of its own (num_turns 0) may leave nothing behind.
    if (turns.busy && line.num_turns !== 0) noteDurable(ref, sink)
    if (outcome.error !== undefined && turns.busy) sink.error(outcome.error)
    this.#error = undefined
    this.#spoke = false
    turns.result(line, outcome)
    transcript.turnEnded()
    this.parts.servers.turnEnded()
  }

  /** Some commands answer with nothing but their result. */
  #say(text: string): void {
    const key = `result:${crypto.randomUUID()}`
    const content = [{ type: "text" as const, text }]
    this.parts.sink.open({ key, kind: "message", role: "assistant", content })
    this.parts.sink.close(key, { status: "completed", content })
  }
}

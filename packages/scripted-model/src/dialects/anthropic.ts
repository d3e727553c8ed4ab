import type { JsonObject } from "../json.ts"
import type { ErrorPart, UsagePart } from "../part.ts"
import { readAnthropic } from "./anthropic-request.ts"
import { type Block, type Dialect, type EncodeContext, type Encoder, frame, typedFrame } from "./dialect.ts"

export const anthropic: Dialect = {
  name: "anthropic-messages",
  replyIdPrefix: "msg",
  blockIdPrefix: (part) => (part.type === "tool-call" ? "toolu" : "block"),
  read: readAnthropic,
  encoder: anthropicEncoder,
  errorBody: (part) => ({ type: "error", error: { type: errorType(part), message: part.message } }),
}

function anthropicEncoder({ request, replyId, usage, stop }: EncodeContext): Encoder {
  const blocks: Block[] = []
  const message = (content: JsonObject[], stopReason: string | null, outputTokens: number): JsonObject => ({
    id: replyId,
    type: "message",
    role: "assistant",
    model: request.model,
    content,
    stop_reason: stopReason,
    stop_sequence: null,
    usage: usageObject(usage, outputTokens),
  })
  return {
    start: () => [typedFrame({ type: "message_start", message: message([], null, 1) })],
    blockStart: (block) => {
      blocks.push(block)
      return [typedFrame({ type: "content_block_start", index: block.index, content_block: emptyBlock(block) })]
    },
    blockDelta: (block, delta) => [blockDelta(block, deltaObject(block, delta))],
    blockEnd: (block) => {
      const stopFrame = typedFrame({ type: "content_block_stop", index: block.index })
      if (block.part.type !== "thinking") return [stopFrame]
      return [blockDelta(block, { type: "signature_delta", signature: block.part.signature }), stopFrame]
    },
    ping: () => [typedFrame({ type: "ping" })],
    raw: (event) => [frame(typeof event.type === "string" ? event.type : undefined, event)],
    streamError: (part) => [typedFrame({ type: "error", error: { type: part.errorType, message: part.message } })],
    end: () => [
      typedFrame({
        type: "message_delta",
        delta: { stop_reason: stop, stop_sequence: null },
        usage: usageObject(usage, usage.output),
      }),
      typedFrame({ type: "message_stop" }),
    ],
    body: () => message(blocks.map(wholeBlock), stop, usage.output),
  }
}

function blockDelta(block: Block, delta: JsonObject) {
  return typedFrame({ type: "content_block_delta", index: block.index, delta })
}

function deltaObject(block: Block, delta: string): JsonObject {
  switch (block.part.type) {
    case "text":
      return { type: "text_delta", text: delta }
    case "thinking":
      return { type: "thinking_delta", thinking: delta }
    case "tool-call":
      return { type: "input_json_delta", partial_json: delta }
  }
}

function emptyBlock({ part, id }: Block): JsonObject {
  switch (part.type) {
    case "text":
      return { type: "text", text: "" }
    case "thinking":
      return { type: "thinking", thinking: "", signature: "" }
    case "tool-call":
      return { type: "tool_use", id, name: part.name, input: {} }
  }
}

function wholeBlock({ part, id, content }: Block): JsonObject {
  switch (part.type) {
    case "text":
      return { type: "text", text: content }
    case "thinking":
      return { type: "thinking", thinking: content, signature: part.signature }
    case "tool-call":
      return { type: "tool_use", id, name: part.name, input: part.input }
  }
}

// Anthropic counts cached input apart from `input_tokens`.
function usageObject(usage: UsagePart, outputTokens: number): JsonObject {
  return {
    input_tokens: Math.max(0, usage.input - usage.cached - usage.cacheWrite),
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cached,
    output_tokens: outputTokens,
  }
}

const ERROR_TYPES: Record<number, string> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  503: "overloaded_error",
  529: "overloaded_error",
}

function errorType(part: ErrorPart): string {
  return part.errorType ?? ERROR_TYPES[part.status] ?? (part.status < 500 ? "invalid_request_error" : "api_error")
}

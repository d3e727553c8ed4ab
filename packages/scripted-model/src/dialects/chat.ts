import type { JsonObject } from "../json.ts"
import type { StopReason, UsagePart } from "../part.ts"
import { readChat } from "./chat-request.ts"
import {
  type Block,
  type Dialect,
  type EncodeContext,
  type Encoder,
  type Frame,
  frame,
  PING_COMMENT,
} from "./dialect.ts"
import { openaiError } from "./openai-error.ts"
import { argumentsText } from "./tool-arguments.ts"

export const chat: Dialect = {
  name: "openai-chat",
  replyIdPrefix: "chatcmpl",
  blockIdPrefix: (part) => (part.type === "tool-call" ? "call" : "block"),
  read: readChat,
  encoder: chatEncoder,
  errorBody: openaiError,
}

const FINISH: Record<StopReason, string> = {
  end_turn: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  refusal: "content_filter",
}

function chatEncoder({ request, replyId, createdAt, usage, stop }: EncodeContext): Encoder {
  const blocks: Block[] = []
  const toolBlocks = () => blocks.filter((block) => block.part.type === "tool-call")
  const base = (object: string) => ({ id: replyId, object, created: createdAt, model: request.model })
  const chunk = (choices: JsonObject[], rest: JsonObject = {}): Frame =>
    frame(undefined, { ...base("chat.completion.chunk"), choices, ...rest })
  const delta = (value: JsonObject, finish: string | null = null): Frame =>
    chunk([{ index: 0, delta: value, finish_reason: finish }])
  const toolDelta = (block: Block, value: JsonObject): Frame =>
    delta({ tool_calls: [{ index: toolBlocks().indexOf(block), ...value }] })
  return {
    start: () => [delta({ role: "assistant", content: "" })],
    blockStart: (block) => {
      blocks.push(block)
      if (block.part.type !== "tool-call") return []
      return [toolDelta(block, { id: block.id, type: "function", function: { name: block.part.name, arguments: "" } })]
    },
    blockDelta: (block, content) => {
      if (block.part.type === "text") return [delta({ content })]
      if (block.part.type === "thinking") return [delta({ reasoning_content: content })]
      return [toolDelta(block, { function: { arguments: content } })]
    },
    blockEnd: () => [],
    ping: () => [PING_COMMENT],
    raw: (event) => [frame(undefined, event)],
    streamError: ({ errorType, message }) => [
      frame(undefined, { error: { message, type: errorType, param: null, code: errorType } }),
    ],
    end: () => {
      const frames = [delta({}, FINISH[stop])]
      if (wantsUsage(request.body)) frames.push(chunk([], { usage: usageObject(usage) }))
      return [...frames, "data: [DONE]\n\n"]
    },
    body: () => ({
      ...base("chat.completion"),
      choices: [{ index: 0, message: wholeMessage(blocks, toolBlocks()), finish_reason: FINISH[stop] }],
      usage: usageObject(usage),
    }),
  }
}

function wantsUsage(body: JsonObject): boolean {
  const options = body.stream_options
  return typeof options === "object" && options !== null && !Array.isArray(options) && options.include_usage === true
}

function wholeMessage(blocks: Block[], toolBlocks: Block[]): JsonObject {
  const textOf = (type: string) => blocks.filter(({ part }) => part.type === type).map(({ content }) => content)
  const message: JsonObject = { role: "assistant", content: textOf("text").join("") || null }
  const reasoning = textOf("thinking").join("")
  if (reasoning !== "") message.reasoning_content = reasoning
  if (toolBlocks.length > 0) {
    message.tool_calls = toolBlocks.map((block) => ({
      id: block.id,
      type: "function",
      function: { name: block.part.type === "tool-call" ? block.part.name : "", arguments: argumentsText(block.part) },
    }))
  }
  return message
}

function usageObject(usage: UsagePart): JsonObject {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cached },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
  }
}

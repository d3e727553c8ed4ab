import { isObject, type JsonObject, parseJson } from "../json.ts"
import type { ErrorPart, StopReason, UsagePart } from "../part.ts"
import {
  type Block,
  type Dialect,
  type EncodeContext,
  type Encoder,
  type Frame,
  frame,
  PING_COMMENT,
} from "./dialect.ts"
import { readGoogle } from "./google-request.ts"
import { argumentsText } from "./tool-arguments.ts"

export const google: Dialect = {
  name: "google-generate",
  replyIdPrefix: "resp",
  blockIdPrefix: (part) => (part.type === "tool-call" ? "call" : "block"),
  read: readGoogle,
  encoder: googleEncoder,
  errorBody: googleError,
}

const FINISH: Record<StopReason, string> = {
  end_turn: "STOP",
  tool_use: "STOP",
  max_tokens: "MAX_TOKENS",
  refusal: "SAFETY",
}

function googleEncoder({ request, replyId, usage, stop }: EncodeContext): Encoder {
  const blocks: Block[] = []
  const whole = (parts: JsonObject[], rest: JsonObject = {}): JsonObject => ({
    candidates: [{ index: 0, content: { role: "model", parts }, ...rest }],
    modelVersion: request.model,
    responseId: replyId,
  })
  const chunk = (part: JsonObject): Frame => frame(undefined, whole([part]))
  return {
    start: () => [],
    blockStart: (block) => {
      blocks.push(block)
      return []
    },
    // A call comes whole: there are no pieces of arguments.
    blockDelta: ({ part }, text) =>
      part.type === "tool-call" ? [] : [chunk(part.type === "thinking" ? { text, thought: true } : { text })],
    blockEnd: (block) => (block.part.type === "tool-call" ? [chunk(partOf(block))] : []),
    ping: () => [PING_COMMENT],
    raw: (event) => [frame(undefined, event)],
    streamError: ({ message }) => [frame(undefined, { error: { code: 500, message, status: "INTERNAL" } })],
    end: () => [
      frame(undefined, { ...whole([{ text: "" }], { finishReason: FINISH[stop] }), usageMetadata: counts(usage) }),
    ],
    body: () => ({ ...whole(blocks.map(partOf), { finishReason: FINISH[stop] }), usageMetadata: counts(usage) }),
  }
}

function partOf({ part, content, id }: Block): JsonObject {
  if (part.type === "text") return { text: content }
  if (part.type === "thinking") return { text: content, thought: true }
  const args = parseJson(argumentsText(part))
  return { functionCall: { id, name: part.name, args: isObject(args) ? args : {} } }
}

const counts = ({ input, output, cached, reasoning }: UsagePart): JsonObject => ({
  promptTokenCount: input,
  // Thinking is counted apart.
  candidatesTokenCount: output - reasoning,
  thoughtsTokenCount: reasoning,
  cachedContentTokenCount: cached,
  totalTokenCount: input + output,
})

const STATUS: Record<number, string> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
}

function googleError(part: ErrorPart): JsonObject {
  const status = part.errorType ?? STATUS[part.status] ?? (part.status < 500 ? "INVALID_ARGUMENT" : "INTERNAL")
  return { error: { code: part.status, message: part.message, status } }
}

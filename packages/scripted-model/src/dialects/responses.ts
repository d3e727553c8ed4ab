import type { JsonObject } from "../json.ts"
import type { UsagePart } from "../part.ts"
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
import { blockDeltaEvents, blockEndEvents, blockItem, blockStartEvents } from "./responses-items.ts"
import { readResponses } from "./responses-request.ts"

const ID_PREFIXES = { text: "msg", thinking: "rs", "tool-call": "call" }

export const responses: Dialect = {
  name: "openai-responses",
  replyIdPrefix: "resp",
  blockIdPrefix: (part) => ID_PREFIXES[part.type],
  read: readResponses,
  encoder: responsesEncoder,
  errorBody: openaiError,
}

function responsesEncoder(context: EncodeContext): Encoder {
  const { request, replyId, createdAt, usage, stop } = context
  const done: Block[] = []
  let sequence = 0
  const send = (event: JsonObject): Frame =>
    frame(typeof event.type === "string" ? event.type : undefined, { ...event, sequence_number: sequence++ })
  const response = (status: string, rest: JsonObject = {}): JsonObject => ({
    id: replyId,
    object: "response",
    created_at: createdAt,
    status,
    model: request.model,
    error: null,
    incomplete_details: null,
    output: done.map((block) => blockItem(block, context)),
    usage: null,
    ...rest,
  })
  const ended = (): JsonObject => {
    const counted = { usage: usageObject(usage) }
    if (stop === "max_tokens") {
      return response("incomplete", { incomplete_details: { reason: "max_output_tokens" }, ...counted })
    }
    if (stop === "refusal") {
      return response("incomplete", { incomplete_details: { reason: "content_filter" }, ...counted })
    }
    return response("completed", counted)
  }
  return {
    start: () => [
      send({ type: "response.created", response: response("in_progress") }),
      send({ type: "response.in_progress", response: response("in_progress") }),
    ],
    blockStart: (block) => blockStartEvents(block, context).map(send),
    blockDelta: (block, delta) => blockDeltaEvents(block, delta).map(send),
    blockEnd: (block) => {
      done.push(block)
      return blockEndEvents(block, context).map(send)
    },
    ping: () => [PING_COMMENT],
    raw: (event) => [send(event)],
    streamError: ({ errorType, message }) => [
      send({
        type: "response.failed",
        response: response("failed", { error: { code: errorType, message } }),
      }),
    ],
    end: () => {
      const response = ended()
      return [send({ type: `response.${String(response.status)}`, response })]
    },
    body: ended,
  }
}

function usageObject(usage: UsagePart): JsonObject {
  return {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: usage.cached },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: usage.input + usage.output,
  }
}

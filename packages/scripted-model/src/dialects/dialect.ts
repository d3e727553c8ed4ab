import type { JsonObject } from "../json.ts"
import type { BlockPart, ErrorPart, StopReason, StreamErrorPart, UsagePart } from "../part.ts"
import type { DialectName, ModelRequest, RequestContent } from "../request.ts"

/** One server-sent event, or a comment, as it goes over the wire. */
export type Frame = string

/** A text, thinking or tool block while it is being sent; `content` grows with every chunk. */
export interface Block {
  index: number
  id: string
  part: BlockPart
  content: string
}

export interface EncodeContext {
  request: ModelRequest
  replyId: string
  createdAt: number
  usage: UsagePart
  stop: StopReason
}

/** Puts one reply into a provider's events; a plain answer is the `body` of the same blocks. */
export interface Encoder {
  start(): Frame[]
  blockStart(block: Block): Frame[]
  blockDelta(block: Block, delta: string): Frame[]
  blockEnd(block: Block): Frame[]
  ping(): Frame[]
  raw(event: JsonObject): Frame[]
  streamError(part: StreamErrorPart): Frame[]
  end(): Frame[]
  body(): JsonObject
}

export interface Dialect {
  name: DialectName
  blockIdPrefix(part: BlockPart): string
  replyIdPrefix: string
  /** Some have the model in the address. */
  read(body: JsonObject, path: string): RequestContent
  encoder(context: EncodeContext): Encoder
  errorBody(part: ErrorPart): JsonObject
}

/** Without a name the event is a bare `data:` line. */
export function frame(event: string | undefined, data: JsonObject): Frame {
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`
}

/** Providers name the event after the `type` in its data. */
export function typedFrame(data: JsonObject & { type: string }): Frame {
  return frame(data.type, data)
}

/** A sign of life where the provider has no event for it. */
export const PING_COMMENT: Frame = ": ping\n\n"

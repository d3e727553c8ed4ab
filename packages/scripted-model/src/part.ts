import type { JsonObject } from "./json.ts"
import type { DialectName, ModelRequest } from "./request.ts"

export interface DelayPart {
  type: "delay"
  ms: number
}

export interface HoldPart {
  type: "hold"
  until: PromiseLike<unknown>
}

export interface HangPart {
  type: "hang"
}

export type WaitPart = DelayPart | HoldPart | HangPart

/** Pieces of a block in the order they are streamed; waits may stand between them. */
export type Chunks = readonly (string | WaitPart)[]

export interface TextPart {
  type: "text"
  chunks: Chunks
  delayMs: number
  open: boolean
}

export interface ThinkingPart {
  type: "thinking"
  chunks: Chunks
  delayMs: number
  open: boolean
  signature: string
  raw: boolean
}

export interface ToolCallPart {
  type: "tool-call"
  name: string
  input: JsonObject | string
  id: string | undefined
  kind: "function" | "custom" | undefined
  namespace: string | undefined
  chunkSize: number
  delayMs: number
  open: boolean
}

export interface UsagePart {
  type: "usage"
  /** All input tokens, the cached ones included. */
  input: number
  output: number
  cached: number
  cacheWrite: number
  reasoning: number
}

export type StopReason = "end_turn" | "tool_use" | "max_tokens" | "refusal"

export interface StopPart {
  type: "stop"
  reason: StopReason
}

export interface ErrorPart {
  type: "error"
  status: number
  message: string
  errorType: string | undefined
  code: string | undefined
  retryAfter: number | undefined
  headers: Record<string, string>
  body: JsonObject | undefined
}

export interface StreamErrorPart {
  type: "stream-error"
  errorType: string
  message: string
}

export interface CutPart {
  type: "cut"
}

export interface CutAfterPart {
  type: "cut-after"
  bytes: number
  events: number
}

export interface PingPart {
  type: "ping"
}

export interface RawPart {
  type: "raw"
  dialect: DialectName
  events: readonly JsonObject[]
}

export type BlockPart = TextPart | ThinkingPart | ToolCallPart
export type Part =
  | BlockPart
  | WaitPart
  | UsagePart
  | StopPart
  | ErrorPart
  | StreamErrorPart
  | CutPart
  | CutAfterPart
  | PingPart
  | RawPart

export interface Reply {
  type: "reply"
  parts: readonly Part[]
}

/** A string stands for `text(string)`, a part for `reply(part)`. */
export type Answer = Reply | Part | string
export type AnswerFunction = (request: ModelRequest) => Answer | Promise<Answer>

import type { JsonObject } from "./json.ts"
import type * as P from "./part.ts"
import type { DialectName } from "./request.ts"

/** One answer of the model: text, thinking, tool calls, waits and faults, in the order they are sent. */
export function reply(...parts: (P.Part | string)[]): P.Reply {
  return { type: "reply", parts: parts.map((part) => (typeof part === "string" ? text(part) : part)) }
}

export interface BlockOptions {
  /** Wait between the chunks. */
  delayMs?: number
  /** Leave the block unfinished, as when the connection breaks inside it. */
  open?: boolean
}

/** A string is streamed as one chunk; an array as its pieces, with waits between them where you put them. */
export function text(content: string | P.Chunks, options: BlockOptions = {}): P.TextPart {
  return { type: "text", chunks: chunksOf(content), delayMs: options.delayMs ?? 0, open: options.open ?? false }
}

export interface ThinkingOptions extends BlockOptions {
  /** Anthropic's signature; `encrypted_content` in Responses. */
  signature?: string
  /** Responses only: raw reasoning text in place of a summary. */
  raw?: boolean
}

export function thinking(content: string | P.Chunks, options: ThinkingOptions = {}): P.ThinkingPart {
  return {
    type: "thinking",
    chunks: chunksOf(content),
    delayMs: options.delayMs ?? 0,
    open: options.open ?? false,
    signature: options.signature ?? "c2NyaXB0ZWQ=",
    raw: options.raw ?? false,
  }
}

export interface ToolCallOptions extends BlockOptions {
  id?: string
  /** Responses only: a text input is a `custom` call (Codex's apply_patch) unless this says `function`. */
  kind?: "function" | "custom"
  /** Responses only: found in the request's tools when left out. */
  namespace?: string
  /** Characters of the JSON arguments per chunk; all at once when left out. */
  chunkSize?: number
}

/** A text input goes out as it is: broken JSON on purpose, or the text of a custom tool. */
export function toolCall(name: string, input: JsonObject | string = {}, options: ToolCallOptions = {}): P.ToolCallPart {
  return {
    type: "tool-call",
    name,
    input,
    id: options.id,
    kind: options.kind,
    namespace: options.namespace,
    chunkSize: Math.max(1, options.chunkSize ?? Number.POSITIVE_INFINITY),
    delayMs: options.delayMs ?? 0,
    open: options.open ?? false,
  }
}

/** Token counts; `input` is the whole input, of which `cached` was read and `cacheWrite` written to the cache. */
export function usage(tokens: Partial<Omit<P.UsagePart, "type">>): P.UsagePart {
  return { type: "usage", input: 100, output: 20, cached: 0, cacheWrite: 0, reasoning: 0, ...tokens }
}

/** Why the model stopped; left out, it is `tool_use` when a tool is called and `end_turn` otherwise. */
export function stop(reason: P.StopReason): P.StopPart {
  return { type: "stop", reason }
}

export interface ErrorOptions {
  /** The provider's own name of the error; a fitting one is chosen by status. */
  type?: string
  /** OpenAI's `error.code`. */
  code?: string
  /** Seconds. */
  retryAfter?: number
  headers?: Record<string, string>
  /** In place of the provider's error object. */
  body?: JsonObject
}

/** The request fails with this HTTP status. */
export function error(status: number, message = `Scripted error ${status}`, options: ErrorOptions = {}): P.ErrorPart {
  return {
    type: "error",
    status,
    message,
    errorType: options.type,
    code: options.code,
    retryAfter: options.retryAfter,
    headers: options.headers ?? {},
    body: options.body,
  }
}

/** The stream breaks off with the provider's error event; after `text(…, { open: true })`, inside a block. */
export function sseError(type = "overloaded_error", message = "Scripted stream error"): P.StreamErrorPart {
  return { type: "stream-error", errorType: type, message }
}

/** The connection is cut here. */
export function cut(): P.CutPart {
  return { type: "cut" }
}

/** The connection is cut after so many bytes of the body, or so many events, wherever that falls. */
export function cutAfter(limit: { bytes?: number; events?: number }): P.CutAfterPart {
  return {
    type: "cut-after",
    bytes: limit.bytes ?? Number.POSITIVE_INFINITY,
    events: limit.events ?? Number.POSITIVE_INFINITY,
  }
}

/** Goes on after a time. Before the first content, the response headers wait too. */
export function delay(ms: number): P.DelayPart {
  return { type: "delay", ms }
}

/** Goes on when the test says so: a promise, or a `gate()`. */
export function hold(until: PromiseLike<unknown> | Gate): P.HoldPart {
  const opened = Promise.resolve("opened" in until ? until.opened : until)
  // A promise that rejects before its step is reached is reported there, not as an unhandled rejection.
  opened.catch(() => {})
  return { type: "hold", until: opened }
}

/** Never goes on: the agent waits until it gives up or the model is closed. */
export function hang(): P.HangPart {
  return { type: "hang" }
}

/** Starts the response without any content; later, a sign of life. */
export function ping(): P.PingPart {
  return { type: "ping" }
}

/** Events sent as they are, for what has no part of its own (Codex's web_search_call); other dialects leave them out. */
export function raw(dialect: DialectName, ...events: JsonObject[]): P.RawPart {
  return { type: "raw", dialect, events }
}

export interface Gate {
  opened: Promise<void>
  open(): void
}

/** A hold and its release in one hand. */
export function gate(): Gate {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

/** Word by word, as models stream. */
export function words(sentence: string): string[] {
  return sentence.match(/\S+\s*|\s+/g) ?? []
}

function chunksOf(content: string | P.Chunks): P.Chunks {
  return typeof content === "string" ? [content] : content
}

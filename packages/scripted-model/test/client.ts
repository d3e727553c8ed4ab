import { SseParser } from "acp-http-client/sse"
import type { JsonObject } from "../src/json.ts"

export interface SseEvent {
  event: string | undefined
  data: JsonObject
}

export interface SeenStream {
  status: number
  headers: Headers
  events: SseEvent[]
  /** The body as it came. */
  text: string
  /** The connection broke before the body's end. */
  broken: boolean
}

export function anthropicBody(userText: string, rest: JsonObject = {}): JsonObject {
  return {
    model: "claude-opus-5-5",
    max_tokens: 1000,
    stream: true,
    tools: [{ name: "Bash", input_schema: {} }],
    messages: [{ role: "user", content: [{ type: "text", text: userText }] }],
    ...rest,
  }
}

export function responsesBody(userText: string, rest: JsonObject = {}): JsonObject {
  return {
    model: "gpt-5.5",
    stream: true,
    input: [{ type: "message", role: "user", content: [{ type: "input_text", text: userText }] }],
    ...rest,
  }
}

export function chatBody(userText: string, rest: JsonObject = {}): JsonObject {
  return {
    model: "fake-1",
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: "user", content: userText }],
    ...rest,
  }
}

export function post(url: string, body: JsonObject, init: RequestInit = {}): Promise<Response> {
  return fetch(url, {
    method: "POST",
    body: JSON.stringify(body),
    ...init,
    headers: { "content-type": "application/json", ...init.headers },
  })
}

export async function stream(url: string, body: JsonObject, headers: Record<string, string> = {}): Promise<SeenStream> {
  const response = await post(url, body, { headers })
  const { text, broken } = await readAll(response)
  return { status: response.status, headers: response.headers, events: parseSse(text), text, broken }
}

export async function readAll(response: Response): Promise<{ text: string; broken: boolean }> {
  const decoder = new TextDecoder()
  let text = ""
  try {
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true })
    return { text, broken: false }
  } catch {
    return { text, broken: true }
  }
}

/** Whole events only; `[DONE]` is `{ done: true }`. */
export function parseSse(text: string): SseEvent[] {
  const events = new SseParser(Number.POSITIVE_INFINITY).push(new TextEncoder().encode(text))
  return events.map(({ event, data }) => ({ event, data: data === "[DONE]" ? { done: true } : JSON.parse(data) }))
}

export function names(events: SseEvent[]): (string | undefined)[] {
  return events.map(({ event }) => event)
}

import type { Frame } from "@sandbox-agent/conformance/sse"
import { SseParser } from "acp-http-client/sse"

export { type Frame, sseEvents } from "@sandbox-agent/conformance/sse"

/** The whole events of a text; one that was cut off is forgotten, as a client forgets it. */
export function eventsInText(text: string): Frame[] {
  return new SseParser(Number.POSITIVE_INFINITY).push(Buffer.from(text)).filter(({ data }) => data !== "")
}

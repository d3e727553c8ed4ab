import { type ServerEvent, SseParser } from "acp-http-client/sse"

export type Frame = ServerEvent

/** Events of an SSE response, as a browser would see them. */
export async function* sseEvents(response: Response): AsyncGenerator<Frame> {
  const parser = new SseParser(Number.POSITIVE_INFINITY)
  for await (const chunk of response.body ?? [])
    for (const event of parser.push(chunk)) if (event.data !== "") yield event
}

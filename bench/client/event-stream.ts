import { type ServerEvent, SseParser } from "acp-http-client/sse"
import { ResponseBody } from "./body.ts"
import { rawRequest } from "./request.ts"

export interface EventStream {
  status: number
  close(): void
}

/** One SSE stream read event by event, for cases that look into events; resolves when the answer's head is here. */
export async function openEvents(
  at: { port: number; path: string; token?: string; headers?: string[] },
  onEvent: (event: ServerEvent) => void,
): Promise<EventStream> {
  const opened = Promise.withResolvers<EventStream>()
  const parser = new SseParser(Number.POSITIVE_INFINITY)
  const body = new ResponseBody((bytes, start, end) => {
    for (const event of parser.push(bytes.subarray(start, end))) if (event.data !== "") onEvent(event)
  })
  await Bun.connect({
    hostname: "127.0.0.1",
    port: at.port,
    socket: {
      open: (socket) => {
        const headers = ["Accept: text/event-stream", ...(at.headers ?? [])]
        socket.write(rawRequest("GET", at.path, at.port, at.token, headers))
      },
      data: (socket, bytes) => {
        body.push(bytes)
        if (body.status !== 0) opened.resolve({ status: body.status, close: () => socket.end() })
      },
      close: () => opened.reject(new Error("the stream was closed before it answered")),
    },
  })
  return opened.promise
}

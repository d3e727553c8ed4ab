import { SseParser } from "acp-http-client/sse"

/** One frame of an event stream. */
export interface SseFrame {
  readonly event: string
  readonly data: string
  /** The last id the stream gave, also when this frame carries none. */
  readonly id: string
  /** Milliseconds to wait before connecting again, if the server said so. */
  readonly retryMs: number | undefined
}

/**
 * The frames of a body as they come; a frame cut off by the end of the stream does not count. One without data only tells the
 * place at which the stream is.
 */
export async function* sseFrames(
  body: ReadableStream<Uint8Array>,
  lastId = "",
  onPlace?: (id: string) => void,
): AsyncGenerator<SseFrame> {
  // What a daemon sends has its own bounds.
  const parser = new SseParser(Number.POSITIVE_INFINITY)
  let id = lastId
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      for (const { event, data, id: given = id } of parser.push(value)) {
        id = given
        if (data === "") onPlace?.(id)
        else yield { event: event || "message", data, id, retryMs: parser.retryMs }
      }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

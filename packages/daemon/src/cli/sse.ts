/** One frame of an event stream. */
export interface SseFrame {
  readonly event: string
  readonly data: string
  /** The last id the stream gave, also when this frame carries none. */
  readonly id: string
}

/** Parses an event stream as the HTML standard says, whatever way it is cut into pieces. */
export class SseParser {
  /** Milliseconds to wait before connecting again, if the server said so. */
  retry: number | undefined
  private rest: string = ""
  private afterCr: boolean = false
  private first: boolean = true
  private event: string = ""
  private data: string[] = []

  constructor(public lastId = "") {}

  push(chunk: string): SseFrame[] {
    let text = chunk
    if (this.first && text !== "") {
      this.first = false
      if (text.startsWith("\uFEFF")) text = text.slice(1)
    }
    if (this.afterCr && text !== "") {
      // The LF of a CRLF that was cut in two.
      if (text.startsWith("\n")) text = text.slice(1)
      this.afterCr = false
    }
    const frames: SseFrame[] = []
    const lineEnd = /\r\n|\r|\n/g
    let start = 0
    // Only the new piece is searched, so that a long line in many pieces costs no more than its length.
    for (let match = lineEnd.exec(text); match; match = lineEnd.exec(text)) {
      const frame = this.line(this.rest + text.slice(start, match.index))
      this.rest = ""
      start = match.index + match[0].length
      if (match[0] === "\r" && start === text.length) this.afterCr = true
      if (frame) frames.push(frame)
    }
    this.rest += text.slice(start)
    return frames
  }

  private line(line: string): SseFrame | undefined {
    if (line === "") return this.dispatch()
    const colon = line.indexOf(":")
    if (colon === 0) return undefined
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1)
    if (field === "data") this.data.push(value)
    else if (field === "event") this.event = value
    else if (field === "id" && !value.includes("\0")) this.lastId = value
    else if (field === "retry" && /^\d+$/.test(value)) this.retry = Number(value)
    return undefined
  }

  private dispatch(): SseFrame | undefined {
    const frame = { event: this.event || "message", data: this.data.join("\n"), id: this.lastId }
    const empty = this.data.length === 0
    this.event = ""
    this.data = []
    return empty ? undefined : frame
  }
}

/** The frames of a body as they come; a frame cut off by the end of the stream does not count. */
export async function* sseFrames(body: ReadableStream<Uint8Array>, parser = new SseParser()): AsyncGenerator<SseFrame> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield* parser.push(decoder.decode(value, { stream: true }))
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

import { AcpError } from "./errors.ts"

export interface ServerEvent {
  /** Only when the event itself carried one. */
  id?: string
  event?: string
  /** Empty when the event only moves the id on. */
  data: string
}

/**
 * Reads `text/event-stream` as it comes, at any split of the bytes. Holds at most one event; one that is larger than the limit throws.
 * TextDecoder takes the byte order mark off and turns broken UTF-8 into U+FFFD, as the format asks.
 */
export class SseParser {
  /** Comments are what servers keep a stream alive with. */
  comments = 0
  /** From `retry:`. */
  retryMs: number | undefined
  readonly #limit: number
  readonly #decoder = new TextDecoder()
  /** The unfinished line. Grows by `+=`: engines keep that as a rope, so no byte is copied twice. */
  #line = ""
  /** A CR ended the last chunk: an LF that follows belongs to it. */
  #afterCr = false
  #data: string | undefined
  #event: string | undefined
  #id: string | undefined

  constructor(limit: number) {
    this.#limit = limit
  }

  push(bytes: Uint8Array): ServerEvent[] {
    const events: ServerEvent[] = []
    let text = this.#decoder.decode(bytes, { stream: true })
    if (text === "") return events
    if (this.#afterCr && text.startsWith("\n")) text = text.slice(1)
    this.#afterCr = text === "" ? false : text.endsWith("\r")
    let start = 0
    // Searched for once and not per line: nearly no server sends one.
    let cr = text.indexOf("\r")
    for (;;) {
      if (cr >= 0 && cr < start) cr = text.indexOf("\r", start)
      const lf = text.indexOf("\n", start)
      const end = cr < 0 || (lf >= 0 && lf < cr) ? lf : cr
      if (end < 0) break
      const line = this.#line + text.slice(start, end)
      this.#line = ""
      this.#take(line, events)
      start = text[end] === "\r" && text[end + 1] === "\n" ? end + 2 : end + 1
    }
    this.#line += text.slice(start)
    this.#check(this.#line.length)
    return events
  }

  #take(line: string, events: ServerEvent[]): void {
    if (line === "") {
      if (this.#data !== undefined || this.#id !== undefined)
        events.push({ id: this.#id, event: this.#event, data: this.#data ?? "" })
      this.#data = undefined
      this.#event = undefined
      this.#id = undefined
      return
    }
    const colon = line.indexOf(":")
    if (colon === 0) {
      this.comments++
      return
    }
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1)
    if (field === "data") {
      this.#check(value.length)
      this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`
    } else if (field === "event") this.#event = value
    else if (field === "id") {
      if (!value.includes("\0")) this.#id = value
    } else if (field === "retry" && /^\d+$/.test(value)) this.retryMs = Number(value)
  }

  #check(more: number): void {
    if (more + (this.#data?.length ?? 0) > this.#limit)
      throw new AcpError("too_large", `An event is larger than ${this.#limit} characters`)
  }
}

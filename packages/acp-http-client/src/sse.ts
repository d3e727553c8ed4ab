import { AcpError } from "./errors.ts"

export interface ServerEvent {
  /** Only when the event itself carried one. */
  id?: string
  event?: string
  /** Empty when the event only moves the id on. */
  data: string
}

export interface SseParserOptions {
  /** What the limit counts; without it characters. */
  sizeOf?: (text: string) => number
  /** An event that is too large is told, with its beginning, and passed over; without this it throws. */
  onTooLarge?: (head: string, size: number) => void
}

/** Of an event that is passed over. */
const headChars = 65_536

/**
 * Reads `text/event-stream` as it comes, at any split of the bytes. Holds at most one event, and no more of it than the limit.
 * TextDecoder takes the byte order mark off and turns broken UTF-8 into U+FFFD, as the format asks.
 */
export class SseParser {
  /** Comments are what servers keep a stream alive with. */
  comments = 0
  /** From `retry:`. */
  retryMs: number | undefined
  readonly #limit: number
  readonly #sizeOf: (text: string) => number
  readonly #onTooLarge: SseParserOptions["onTooLarge"]
  readonly #decoder = new TextDecoder()
  /** The unfinished line. Grows by `+=`: engines keep that as a rope, so no byte is copied twice. */
  #line = ""
  #lineSize = 0
  /** A CR ended the last chunk: an LF that follows belongs to it. */
  #afterCr = false
  #data: string | undefined
  #dataSize = 0
  #event: string | undefined
  #id: string | undefined
  /** How an event began that is passed over. */
  #tooLarge: string | undefined

  constructor(limit: number, { sizeOf = (text) => text.length, onTooLarge }: SseParserOptions = {}) {
    this.#limit = limit
    this.#sizeOf = sizeOf
    this.#onTooLarge = onTooLarge
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
      this.#grow(text.slice(start, end))
      this.#take(events)
      start = text[end] === "\r" && text[end + 1] === "\n" ? end + 2 : end + 1
    }
    if (start < text.length) this.#grow(text.slice(start))
    return events
  }

  #grow(piece: string): void {
    this.#lineSize += this.#sizeOf(piece)
    if (this.#tooLarge !== undefined) return
    this.#line += piece
    if (this.#dataSize + this.#lineSize <= this.#limit) return
    if (this.#onTooLarge === undefined)
      throw new AcpError("too_large", `An event is larger than ${this.#limit} characters`)
    this.#tooLarge = (this.#data === undefined ? this.#line : `${this.#data}\n${this.#line}`).slice(0, headChars)
    this.#data = undefined
    this.#line = ""
  }

  /** The line is whole. */
  #take(events: ServerEvent[]): void {
    const line = this.#line
    const size = this.#lineSize
    this.#line = ""
    this.#lineSize = 0
    if (size === 0) return this.#dispatch(events)
    if (this.#tooLarge !== undefined) this.#dataSize += size
    else this.#field(line, size)
  }

  #dispatch(events: ServerEvent[]): void {
    if (this.#tooLarge !== undefined) this.#onTooLarge?.(this.#tooLarge, this.#dataSize)
    else if (this.#data !== undefined || this.#id !== undefined)
      events.push({ id: this.#id, event: this.#event, data: this.#data ?? "" })
    this.#tooLarge = undefined
    this.#data = undefined
    this.#dataSize = 0
    this.#event = undefined
    this.#id = undefined
  }

  #field(line: string, size: number): void {
    const colon = line.indexOf(":")
    if (colon === 0) {
      this.comments++
      return
    }
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1)
    if (field === "data") {
      this.#dataSize += size
      this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`
    } else if (field === "event") this.#event = value
    else if (field === "id") {
      if (!value.includes("\0")) this.#id = value
    } else if (field === "retry" && /^\d+$/.test(value)) this.retryMs = Number(value)
  }
}

const CR = 13
const LF = 10

/** Takes the bytes of one HTTP/1.1 response and gives the spans of its body, without the framing and without a copy. */
export class ResponseBody {
  status = 0
  /** All of it was given, where the response says how long it is. */
  ended = false
  #head = ""
  #state: "head" | "size" | "extension" | "data" | "after" | "plain" = "head"
  #chunked = false
  #last = false
  #left = 0
  readonly #onSpan: (bytes: Buffer, start: number, end: number) => void

  constructor(onSpan: (bytes: Buffer, start: number, end: number) => void) {
    this.#onSpan = onSpan
  }

  push(bytes: Buffer): void {
    let at = this.#state === "head" ? this.#readHead(bytes) : 0
    while (at < bytes.length) {
      if (this.#state === "plain") {
        this.#onSpan(bytes, at, bytes.length)
        return
      }
      if (this.#state === "data") {
        const end = Math.min(bytes.length, at + this.#left)
        this.#onSpan(bytes, at, end)
        this.#left -= end - at
        at = end
        if (this.#left > 0) continue
        this.#state = "after"
        this.ended = !this.#chunked
        continue
      }
      this.#readFraming(bytes[at] ?? 0)
      at++
    }
  }

  #readFraming(byte: number): void {
    if (this.#state === "after") {
      if (byte !== LF) return
      this.#state = "size"
      this.ended = this.#last
      return
    }
    if (byte === LF) {
      this.#last = this.#left === 0
      this.#state = this.#last ? "after" : "data"
      return
    }
    if (byte === CR || this.#state === "extension") return
    const digit = hexDigit(byte)
    if (digit < 0) this.#state = "extension"
    else this.#left = this.#left * 16 + digit
  }

  /** Where the body begins in these bytes. */
  #readHead(bytes: Buffer): number {
    const before = this.#head.length
    this.#head += bytes.toString("latin1")
    const end = this.#head.indexOf("\r\n\r\n")
    if (end < 0) return bytes.length
    this.status = Number(this.#head.slice(9, 12))
    this.#head = this.#head.slice(0, end)
    const length = this.header("content-length")
    this.#chunked = this.header("transfer-encoding")?.toLowerCase() === "chunked"
    this.#left = Number(length ?? 0)
    this.#state = this.#chunked ? "size" : length === undefined ? "plain" : "data"
    this.ended = length === "0"
    return end + 4 - before
  }

  header(name: string): string | undefined {
    const lines = this.#head.split("\r\n").slice(1)
    return lines
      .find((line) => line.toLowerCase().startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim()
  }
}

const hexDigit = (byte: number): number => {
  if (byte >= 48 && byte <= 57) return byte - 48
  const letter = byte | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}

const LF = 10

/** Where the sequence number of an SSE event stands. */
export const ids = "\nid: "

/**
 * Reads the numbers that follow a needle out of spans of an SSE body and checks that each follows the one before.
 * It looks at nothing else, so that on two cores the reader is not what is measured. The first byte of the needle
 * stands in it once: a match that breaks off can only begin anew.
 */
export class NumberScanner {
  last: number
  count = 0
  lost = 0
  duplicated = 0
  readonly #needle: Buffer
  /** How much of the needle has matched at the end of the span before; past it, digits are being read. */
  #matched: number
  #value = 0
  #digits = 0

  constructor(from: number, needle: string = ids) {
    this.last = from
    this.#needle = Buffer.from(needle)
    // The body begins as if after a line's end.
    this.#matched = this.#needle[0] === LF ? 1 : 0
  }

  scan(bytes: Buffer, start: number, end: number): void {
    const needle = this.#needle
    let at = start
    while (at < end) {
      while (this.#matched > 0 && at < end) this.#step(bytes[at++] ?? 0)
      if (at >= end) return
      const hit = bytes.indexOf(needle, at)
      if (hit >= 0 && hit + needle.length <= end) {
        this.#matched = needle.length
        at = hit + needle.length
        continue
      }
      // The end of the span may hold the beginning of a needle.
      for (at = Math.max(at, end - needle.length + 1); at < end; at++) this.#step(bytes[at] ?? 0)
    }
  }

  #step(byte: number): void {
    if (this.#matched < this.#needle.length) {
      if (byte === this.#needle[this.#matched]) this.#matched++
      else this.#matched = byte === this.#needle[0] ? 1 : 0
      return
    }
    if (byte >= 48 && byte <= 57) {
      this.#value = this.#value * 10 + byte - 48
      this.#digits++
      return
    }
    this.#matched = byte === this.#needle[0] ? 1 : 0
    // The same place may hold words.
    if (this.#digits > 0) this.#take(this.#value)
    this.#value = 0
    this.#digits = 0
  }

  #take(number: number): void {
    this.count++
    if (number === this.last + 1) this.last = number
    else if (number > this.last) {
      this.lost += number - this.last - 1
      this.last = number
    } else this.duplicated++
  }
}

const needle = Buffer.from("\nid: ")
const LF = 10

/**
 * Reads the `id: N` lines out of spans of an SSE body and checks that each follows the one before.
 * It looks at nothing else, so that on two cores the reader is not what is measured.
 */
export class IdScanner {
  last: number
  count = 0
  lost = 0
  duplicated = 0
  /** How much of the needle has matched at the end of the span before; past it, digits are being read. */
  #matched = 1
  #value = 0

  constructor(from: number) {
    this.last = from
  }

  scan(bytes: Buffer, start: number, end: number): void {
    let at = start
    while (at < end) {
      while (this.#matched > 0 && at < end) this.#step(bytes[at++] ?? 0)
      if (at >= end) return
      const hit = bytes.indexOf(needle, at)
      if (hit >= 0 && hit + needle.length <= end) {
        this.#matched = needle.length
        this.#value = 0
        at = hit + needle.length
        continue
      }
      // The end of the span may hold the beginning of a needle.
      for (at = Math.max(at, end - needle.length + 1); at < end; at++) this.#step(bytes[at] ?? 0)
    }
  }

  #step(byte: number): void {
    if (this.#matched < needle.length) {
      if (byte === needle[this.#matched]) this.#matched++
      else this.#matched = byte === LF ? 1 : 0
      this.#value = 0
      return
    }
    if (byte >= 48 && byte <= 57) {
      this.#value = this.#value * 10 + byte - 48
      return
    }
    this.#matched = byte === LF ? 1 : 0
    this.#take(this.#value)
  }

  #take(id: number): void {
    this.count++
    if (id === this.last + 1) this.last = id
    else if (id > this.last) {
      this.lost += id - this.last - 1
      this.last = id
    } else this.duplicated++
  }
}

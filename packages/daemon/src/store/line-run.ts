const NEWLINE = 10
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/**
 * Native lines of one row as they are stored: with ascending numbers, each behind the mark of its direction. A line is
 * found from the one asked for before, because mostly the next is wanted.
 */
export class LineRun {
  readonly bytes: Buffer
  /** Where the line that was found last begins, without the mark, and ends. */
  start = 0
  end = -1
  #n: number

  constructor(
    readonly first: number,
    readonly count: number,
    bytes: Uint8Array,
  ) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    this.#n = first - 1
  }

  has(n: number): boolean {
    return n >= this.first && n < this.first + this.count
  }

  /** Finds a line that it has. */
  seek(n: number): void {
    if (n === this.#n) return
    if (n < this.#n) {
      this.#n = this.first - 1
      this.end = -1
    }
    while (this.#n < n) {
      this.start = this.end + 2
      const end = this.bytes.indexOf(NEWLINE, this.start)
      this.end = end < 0 ? this.bytes.length : end
      this.#n++
    }
  }

  text(n: number): string {
    this.seek(n)
    return decoder.decode(this.bytes.subarray(this.start, this.end))
  }
}

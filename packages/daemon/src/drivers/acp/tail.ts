/** Bytes that the first piece has room for. */
const FIRST = 1_024

/** The end of a text that grows without end: so many bytes of it at most, from the beginning of a character. */
export class Tail {
  #kept = Buffer.alloc(0)
  #used = 0
  truncated = false

  constructor(private readonly limit: number) {}

  add(more: string): void {
    const bytes = Buffer.from(more)
    const last = bytes.subarray(Math.max(0, bytes.length - this.limit))
    this.truncated ||= this.#used + bytes.length > this.limit
    this.#makeRoom(last.length)
    last.copy(this.#kept, this.#used)
    this.#used += last.length
  }

  get text(): string {
    let from = Math.max(0, this.#used - this.limit)
    // What was cut begins in the middle of a character at worst.
    if (this.truncated) while (from < this.#used && isInside(this.#kept[from])) from++
    return this.#kept.toString("utf8", from, this.#used)
  }

  /** Twice the limit is held, so that what came first is dropped now and then and not with every piece. */
  #makeRoom(more: number): void {
    if (this.#used + more <= this.#kept.length) return
    if (this.#used + more > 2 * this.limit) {
      this.#kept.copyWithin(0, this.#used - this.limit, this.#used)
      this.#used = this.limit
    }
    const wanted = Math.max(this.#used + more, 2 * this.#kept.length, FIRST)
    const size = Math.min(wanted, 2 * this.limit)
    if (size <= this.#kept.length) return
    const larger = Buffer.alloc(size)
    this.#kept.copy(larger, 0, 0, this.#used)
    this.#kept = larger
  }
}

const isInside = (byte: number | undefined): boolean => ((byte ?? 0) & 0b1100_0000) === 0b1000_0000

/** Keeps the first and the last bytes of what is written, each half of the most that may be kept. */
export class HeadTail {
  readonly #head: Uint8Array[] = []
  readonly #tail: Uint8Array[] = []
  #headBytes = 0
  #tailBytes = 0
  /** All that came. */
  bytes = 0

  constructor(private readonly most: number) {}

  push(piece: Uint8Array): void {
    this.bytes += piece.length
    const room = Math.ceil(this.most / 2) - this.#headBytes
    const first = Math.min(room, piece.length)
    if (first > 0) {
      this.#head.push(piece.slice(0, first))
      this.#headBytes += first
    }
    if (first < piece.length) this.#keep(piece.slice(first))
  }

  /** What is missing between the two. */
  get omitted(): { offset: number; bytes: number } | undefined {
    const bytes = this.bytes - this.#headBytes - this.#tailBytes
    return bytes > 0 ? { offset: this.#headBytes, bytes } : undefined
  }

  get head(): Buffer {
    return Buffer.concat(this.#head)
  }

  get tail(): Buffer {
    return Buffer.concat(this.#tail)
  }

  #keep(piece: Uint8Array): void {
    const most = Math.floor(this.most / 2)
    this.#tail.push(piece)
    this.#tailBytes += piece.length
    while (this.#tailBytes > most) {
      const oldest = this.#tail[0] as Uint8Array
      const over = this.#tailBytes - most
      this.#tailBytes -= Math.min(over, oldest.length)
      if (over >= oldest.length) this.#tail.shift()
      else this.#tail[0] = oldest.slice(over)
    }
  }
}

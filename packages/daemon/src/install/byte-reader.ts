/** Takes exact numbers of bytes from a stream of pieces. */
export class ByteReader {
  readonly #pieces: AsyncIterator<Uint8Array>
  #rest: Uint8Array = new Uint8Array(0)

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#pieces = source[Symbol.asyncIterator]()
  }

  /** Fewer than asked for only at the end. */
  async read(count: number): Promise<Buffer> {
    const parts: Uint8Array[] = []
    for await (const piece of this.take(count)) parts.push(piece)
    return Buffer.concat(parts)
  }

  /** The next `count` bytes in pieces as they come. */
  async *take(count: number): AsyncGenerator<Uint8Array> {
    let left = count
    while (left > 0) {
      if (this.#rest.byteLength === 0) {
        const { value, done } = await this.#pieces.next()
        if (done) return
        this.#rest = value
        continue
      }
      const piece = this.#rest.subarray(0, left)
      this.#rest = this.#rest.subarray(piece.byteLength)
      left -= piece.byteLength
      yield piece
    }
  }

  async close(): Promise<void> {
    await this.#pieces.return?.()
  }
}

import { SandboxAgentError } from "@sandbox-agent/schema/error"

/** Bytes that come in pieces of any size, taken in pieces of the size that is asked for. */
export class ByteSource {
  readonly #pieces: AsyncIterator<Uint8Array>
  #piece: Uint8Array = new Uint8Array(0)
  #ended = false
  /** Bytes taken so far. */
  taken = 0

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = pieces[Symbol.asyncIterator]()
  }

  /** At least one byte, at most `most`; the piece belongs to the caller until the next call. Empty: the end. */
  async some(most: number): Promise<Uint8Array> {
    while (this.#piece.length === 0) {
      if (this.#ended) return this.#piece
      const { done, value } = await this.#pieces.next()
      if (done) this.#ended = true
      else this.#piece = value
    }
    const taken = this.#piece.subarray(0, most)
    this.#piece = this.#piece.subarray(taken.length)
    this.taken += taken.length
    return taken
  }

  /** Exactly so many, or none at the end; an end in the middle is an archive that was cut off. */
  async exactly(count: number): Promise<Uint8Array | undefined> {
    const first = await this.some(count)
    if (first.length === count) return first
    if (first.length === 0) return undefined
    const bytes = new Uint8Array(count)
    bytes.set(first)
    for (let at = first.length; at < count; ) {
      const more = await this.some(count - at)
      if (more.length === 0) throw cutOff()
      bytes.set(more, at)
      at += more.length
    }
    return bytes
  }

  async *pieces(count: number): AsyncGenerator<Uint8Array> {
    for (let left = count; left > 0; ) {
      const piece = await this.some(left)
      if (piece.length === 0) throw cutOff()
      left -= piece.length
      yield piece
    }
  }

  async skip(count: number): Promise<void> {
    for (let left = count; left > 0; ) {
      const { length } = await this.some(left)
      if (length === 0) throw cutOff()
      left -= length
    }
  }

  /** Nobody wants the rest. */
  async close(): Promise<void> {
    this.#ended = true
    this.#piece = new Uint8Array(0)
    await this.#pieces.return?.()
  }
}

export const cutOff = () => new SandboxAgentError("invalid_request", "the archive ends in the middle of an entry")

/** Bytes of one frame: the daemon takes a megabyte. */
const pieceBytes = 64 * 1024

const encoder = new TextEncoder()

/** What is typed while there is no line. */
export class InputQueue {
  #pieces: Uint8Array<ArrayBuffer>[] = []
  #bytes = 0

  constructor(private readonly limit: number) {}

  /** False: there is no room, and none of it is kept. */
  put(data: string | Uint8Array): boolean {
    const bytes = typeof data === "string" ? encoder.encode(data) : new Uint8Array(data)
    if (this.#bytes + bytes.length > this.limit) return false
    this.#bytes += bytes.length
    for (let at = 0; at < bytes.length; at += pieceBytes) this.#pieces.push(bytes.slice(at, at + pieceBytes))
    return true
  }

  take(): Uint8Array<ArrayBuffer>[] {
    const pieces = this.#pieces
    this.#pieces = []
    this.#bytes = 0
    return pieces
  }
}

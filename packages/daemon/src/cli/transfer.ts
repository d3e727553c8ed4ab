import { terminalOf } from "./print.ts"
import { ProgressPrinter } from "./progress.ts"

/** Between two times that the line is written. */
const showMs = 100

/** One copy into or out of the sandbox, as whoever sits at the terminal sees it; others see nothing. */
export class Transfer {
  readonly #printer: ProgressPrinter | undefined
  #bytes = 0
  #shownAt = Number.NEGATIVE_INFINITY

  constructor(
    private readonly phase: string,
    /** Unknown of what is made while it is sent. */
    private readonly total?: number,
  ) {
    const terminal = terminalOf(process.stderr)
    if (terminal.tty) this.#printer = new ProgressPrinter(terminal)
  }

  get isShown(): boolean {
    return this.#printer !== undefined
  }

  /** The same bytes; they are counted on the way. */
  pass(bytes: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    if (this.#printer === undefined) return bytes
    const transform = async (chunk: Uint8Array, next: TransformStreamDefaultController<Uint8Array>) => {
      next.enqueue(chunk)
      await this.#count(chunk.length)
    }
    return bytes.pipeThrough(new TransformStream({ transform }))
  }

  /** Before anything else is written. */
  async end(): Promise<void> {
    await this.#printer?.clear()
  }

  async #count(more: number): Promise<void> {
    this.#bytes += more
    const now = performance.now()
    if (now - this.#shownAt < showMs && this.#bytes !== this.total) return
    this.#shownAt = now
    const total = this.total === undefined ? {} : { total: this.total }
    await this.#printer?.show({ phase: this.phase, bytes: this.#bytes, ...total })
  }
}

import type { RunProcess } from "@sandbox-agent/schema/process"
import { processLimits } from "@sandbox-agent/schema/process-limits"
import type { ProgramStream } from "../../core/supervisor.ts"
import type { Bounds } from "./bounds.ts"
import type { ProcessHost } from "./host.ts"
import { type RunEnd, run } from "./run.ts"

/** One piece of what a program wrote. */
export interface Piece {
  sequence: number
  stream: ProgramStream
  timestampMs: number
  bytes: Uint8Array
}

/** A run whose output is taken as it comes: what is not taken stays with the program, which then waits. */
export class RunStream {
  readonly started: Promise<void>
  readonly ended: Promise<RunEnd>
  readonly #pieces: Piece[] = []
  readonly #left = new AbortController()
  #bytes = 0
  #sequence = 0
  #over = false
  #wake = () => {}
  #room = Promise.withResolvers<void>()

  constructor(host: ProcessHost, bounds: Bounds, request: RunProcess, signal: AbortSignal) {
    const started = Promise.withResolvers<void>()
    this.started = started.promise
    const timeoutMs = request.timeoutMs == null ? undefined : bounds.runMs(request.timeoutMs)
    this.ended = run(host, bounds, request, {
      signal: AbortSignal.any([signal, this.#left.signal]),
      timeoutMs,
      onStart: started.resolve,
      onOutput: (stream, bytes) => this.#push(stream, bytes),
      gate: () => (this.#bytes >= processLimits.streamBytes ? this.#room.promise : undefined),
    }).finally(() => {
      this.#over = true
      this.#room.resolve()
      this.#wake()
    })
    // Whoever asks how it ended is told; until then nobody need hear of it.
    this.ended.catch(() => undefined)
  }

  /** The next piece, as soon as there is one; or that nothing came for so long, or that nothing will come any more. */
  async next(quietMs: number): Promise<Piece | "quiet" | "over"> {
    let timer: Timer | undefined
    if (this.#pieces.length === 0 && !this.#over)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
        timer = setTimeout(resolve, quietMs)
      })
    clearTimeout(timer)
    const piece = this.#pieces.shift()
    if (piece === undefined) return this.#over ? "over" : "quiet"
    this.#bytes -= piece.bytes.length
    if (this.#bytes < processLimits.streamBytes) {
      this.#room.resolve()
      this.#room = Promise.withResolvers()
    }
    return piece
  }

  /** Nobody takes any more: it is ended. */
  leave(): void {
    this.#left.abort()
  }

  #push(stream: ProgramStream, bytes: Uint8Array): void {
    this.#pieces.push({ sequence: ++this.#sequence, stream, timestampMs: Date.now(), bytes })
    this.#bytes += bytes.length
    this.#wake()
  }
}

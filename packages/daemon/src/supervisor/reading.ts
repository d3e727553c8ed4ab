import type { ReadableStreamDefaultReader } from "node:stream/web"
import { setImmediate } from "node:timers/promises"

/** Silence after which the pipe of a dead process is given up: something foreign holds its other end. */
const quietMs = 250
/** Turns of the event loop in which what lies in a pipe is found and taken. */
const turnsToLook = 8
/** Windows of `quietMs` in which such a holder may go on writing, when it is the only one: what the process left is read by then. */
const busyWindows = 2
/** More than a pipe and our own buffer can hold of what a process wrote before it died. */
const restBytes = 4 * 1024 * 1024

/** Taken at once, before the gate and everybody else have their turn. */
const stepBytes = 64 * 1024

export interface ReadingOptions {
  take(chunk: Uint8Array): void
  /** Once, after the last chunk. */
  end(): void
  gate?(): Promise<void> | undefined
}

/** Reads one pipe of a child, one chunk at a time: what is not read stays in the pipe and slows the writer. */
export class Reading {
  readonly done: Promise<void>
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  #ended: boolean = false
  #bytes = 0
  #sinceTurn = 0
  /** Times the gate was closed; odd while it is. */
  #gates = 0

  constructor(
    stream: ReadableStream<Uint8Array>,
    private readonly options: ReadingOptions,
  ) {
    this.#reader = stream.getReader()
    this.done = this.#read()
  }

  async #read(): Promise<void> {
    try {
      while (!this.#ended) {
        const { done, value } = await this.#reader.read()
        // What arrives after `cancel` comes too late.
        if (done || this.#ended) break
        for (let start = 0; start < value.length && !this.#ended; start += stepBytes) {
          await this.#take(value.subarray(start, start + stepBytes))
        }
      }
    } catch {
      // A broken pipe is an end like any other.
    }
    this.#end()
  }

  async #take(bytes: Uint8Array): Promise<void> {
    this.#bytes += bytes.length
    this.options.take(bytes)
    const closed = this.options.gate?.()
    if (closed !== undefined) {
      this.#gates++
      await closed.catch(() => {})
      this.#gates++
    }
    // A pipe that is never empty is read without a turn of the event loop: a flood would halt the whole daemon.
    this.#sinceTurn += bytes.length
    if (this.#sinceTurn < stepBytes) return
    this.#sinceTurn = 0
    await setImmediate()
  }

  /** The process is dead: reads what it left, but not for ever. A closed gate is our own slowness and loses nothing. */
  async finish(): Promise<void> {
    const limit = this.#bytes + restBytes
    let busy = 0
    while (!this.#ended) {
      const [bytes, gates] = [this.#bytes, this.#gates]
      await within(quietMs, this.done)
      const empty = await this.#seenEmpty()
      if (this.#gates % 2 === 1 || (this.#gates !== gates && this.#bytes < limit)) continue
      if (this.#bytes >= limit) this.cancel()
      else if (empty && (this.#bytes === bytes || ++busy >= busyWindows)) this.cancel()
    }
  }

  /**
   * Whether there was nothing to read although it was looked for. The clock alone does not say so: a daemon that had no turn
   * for a while finds the time over before it has looked into the pipe.
   */
  async #seenEmpty(): Promise<boolean> {
    const bytes = this.#bytes
    for (let turn = 0; turn < turnsToLook && this.#bytes === bytes; turn++) await setImmediate()
    return this.#bytes === bytes
  }

  /** Reads no more; `end` is called now, if it was not. */
  cancel(): void {
    this.#end()
    this.#reader.cancel().catch(() => {})
  }

  #end(): void {
    if (this.#ended) return
    this.#ended = true
    this.options.end()
  }
}

/** True when the promise was settled in time. */
export async function within(ms: number, promise: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, ms, false)
  })
  const settled = promise.then(
    () => true,
    () => true,
  )
  const inTime = await Promise.race([settled, late])
  clearTimeout(timer)
  return inTime
}

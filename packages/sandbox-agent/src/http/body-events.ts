import { type ServerEvent, SseParser, timerOf } from "acp-http-client"
import { isSandboxAgentError, SandboxAgentError } from "../errors.ts"
import type { Limits } from "../limits.ts"
import { elapsedMs } from "./elapsed.ts"
import { discard } from "./http.ts"

interface ByteReader {
  read(): Promise<{ done: boolean; value?: Uint8Array }>
  cancel(): Promise<void>
}

/** The events of one body, a batch for each piece of it that came. Read only when asked for, so that who reads slowly slows the sender. */
export class BodyEvents {
  /** Pieces that came, if only signs of life. */
  heard = 0
  readonly #reader: ByteReader
  readonly #parser: SseParser
  readonly #stallMs: number
  readonly #signal: AbortSignal
  #timer: ReturnType<typeof setTimeout> | undefined
  #waitingSince = 0
  #stalled: (error: SandboxAgentError) => void = () => undefined

  constructor(body: ReadableStream<Uint8Array>, signal: AbortSignal, limits: Limits) {
    this.#reader = body.getReader()
    this.#parser = new SseParser(limits.eventChars)
    this.#stallMs = limits.stallMs
    this.#signal = signal
  }

  /** Undefined at the end of the body. */
  async next(): Promise<ServerEvent[] | undefined> {
    for (;;) {
      const { done, value } = await this.#read()
      if (done || value === undefined) return undefined
      this.heard++
      const events = this.#parse(value)
      if (events.length > 0) return events
    }
  }

  close(): void {
    clearTimeout(this.#timer)
    discard(this.#reader)
  }

  #parse(bytes: Uint8Array): ServerEvent[] {
    try {
      return this.#parser.push(bytes)
    } catch (error) {
      throw new SandboxAgentError("protocol", error instanceof Error ? error.message : String(error), error)
    }
  }

  /** Half-open connections and tabs that slept give no sign but silence. One lazy timer, not one for each read. */
  #read(): ReturnType<ByteReader["read"]> {
    this.#waitingSince = elapsedMs()
    return new Promise((resolve, reject) => {
      this.#stalled = reject
      const onAbort = () => reject(this.#signal.reason)
      if (this.#signal.aborted) return onAbort()
      this.#signal.addEventListener("abort", onAbort)
      if (this.#timer === undefined) this.#arm(this.#stallMs)
      // Before whoever waits goes on: the next read may be asked for in that very moment.
      const came = () => {
        this.#waitingSince = 0
        this.#signal.removeEventListener("abort", onAbort)
      }
      this.#reader.read().then(
        (read) => {
          came()
          resolve(read)
        },
        (error: unknown) => {
          came()
          reject(isSandboxAgentError(error) ? error : new SandboxAgentError("network", "The stream broke", error))
        },
      )
    })
  }

  #arm(ms: number): void {
    this.#timer = timerOf(() => {
      // Time the reader itself takes is not the sender's.
      const left = this.#waitingSince === 0 ? this.#stallMs : this.#waitingSince + this.#stallMs - elapsedMs()
      if (left > 0) this.#arm(left)
      else this.#stalled(new SandboxAgentError("timeout", `Nothing came on the stream for ${this.#stallMs} ms`))
    }, ms)
  }
}

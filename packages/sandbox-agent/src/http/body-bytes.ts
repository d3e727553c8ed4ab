import { timerOf } from "acp-http-client"
import { SandboxAgentError } from "../errors.ts"
import type { Limits } from "../limits.ts"
import { type Answer, discard } from "./http.ts"
import type { OnProgress } from "./progress.ts"

/**
 * The bytes of an answer, no faster than they are taken: all of them, or an error. The time of the call is over with its head; from
 * there on silence counts, and the caller's signal to the end.
 */
export function bodyBytes(
  { response, deadline }: Answer,
  what: string,
  limits: Limits,
  onProgress?: OnProgress,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  deadline.disarm()
  const count = new Count(what, response.headers, onProgress)
  const reader = readerOf(response)
  const end = () => {
    deadline.release()
    discard(reader)
  }
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const read = await deadline.hold(withinSilence(reader.read(), what, limits.stallMs))
          if (!read.done) {
            count.take(read.value)
            return controller.enqueue(read.value)
          }
          count.check()
          deadline.release()
          controller.close()
        } catch (error) {
          const explained = deadline.explain(error)
          end()
          throw explained
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
}

/** All of them at once. */
export async function allBytes(
  response: Response,
  what: string,
  onProgress?: OnProgress,
): Promise<Uint8Array<ArrayBuffer>> {
  const count = new Count(what, response.headers, onProgress)
  const pieces: Uint8Array<ArrayBuffer>[] = []
  for (const reader = readerOf(response); ; ) {
    const read = await reader.read()
    if (read.done) break
    count.take(read.value)
    pieces.push(read.value)
  }
  count.check()
  return new Uint8Array(await new Blob(pieces).arrayBuffer())
}

interface ByteReader {
  read(): Promise<{ done: false; value: Uint8Array<ArrayBuffer> } | { done: true }>
  cancel(): Promise<void>
}

const readerOf = (response: Response): ByteReader => (response.body ?? new Blob([]).stream()).getReader()

class Count {
  #bytes = 0
  readonly #total: number | undefined
  readonly #what: string
  readonly #onProgress: OnProgress | undefined

  constructor(what: string, headers: Headers, onProgress: OnProgress | undefined) {
    this.#what = what
    this.#onProgress = onProgress
    // Long files are sent in pieces, with their length beside.
    const plain = headers.has("content-encoding") ? null : headers.get("content-length")
    const said = headers.get("x-content-length") ?? plain
    this.#total = said === null ? undefined : Number(said)
  }

  take({ length }: Uint8Array): void {
    this.#bytes += length
    this.#onProgress?.({ bytes: this.#bytes, ...(this.#total !== undefined && { total: this.#total }) })
  }

  /** Not every runtime tells of a body that was cut off. */
  check(): void {
    if (this.#total === undefined || this.#bytes === this.#total) return
    const came = `${this.#bytes} of ${this.#total} bytes`
    throw new SandboxAgentError("network", `${this.#what}: the connection broke after ${came}`)
  }
}

function withinSilence<T>(work: Promise<T>, what: string, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new SandboxAgentError("timeout", `${what}: nothing came for ${ms} ms`))
    const timer = timerOf(late, ms)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

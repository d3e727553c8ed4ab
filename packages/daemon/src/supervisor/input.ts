import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import type { FileSink } from "bun"

/** A child's stdin: one piece after the other, each done when the pipe has taken it. */
export class Input {
  #tail: Promise<void> = Promise.resolve()
  /** Bytes the pipe has not taken yet. */
  #waiting = 0
  /** Pieces and the end that are not done yet. */
  #steps = 0
  #closed: Error | undefined
  #abort: ((error: Error) => void) | undefined

  constructor(
    private readonly sink: FileSink,
    private readonly label: string,
  ) {}

  /** A line, or bytes as they are. */
  write(piece: string | Uint8Array): Promise<void> {
    if (this.#closed) return Promise.reject(this.#closed)
    // One piece of any size may wait; a queue of them may not grow without end.
    const bytes = typeof piece === "string" ? Buffer.byteLength(piece) : piece.length
    if (this.#waiting > 0 && this.#waiting + bytes > limits.requestBodyBytes) {
      return Promise.reject(new SandboxAgentError("unavailable", `${this.label} does not read its input`))
    }
    this.#waiting += bytes
    // At once where nothing waits: an idle agent gets its input without a detour.
    const written = this.#steps === 0 ? this.#send(piece) : this.#tail.then(() => this.#send(piece))
    this.#follow(written, () => {
      this.#waiting -= bytes
    })
    return written
  }

  /** After the pieces that still wait. */
  end(): void {
    const ended = this.#tail.then(async () => {
      if (this.#closed) return
      this.#closed = new SandboxAgentError("agent_process_exited", `the input of ${this.label} was closed`)
      await this.#quietly(() => this.sink.end())
    })
    this.#follow(ended)
  }

  /** What comes next waits for this step, however it ends. */
  #follow(step: Promise<void>, done?: () => void): void {
    this.#steps++
    const over = () => {
      this.#steps--
      done?.()
    }
    this.#tail = step.then(over, over)
  }

  /** The process is gone: whatever waits, and whatever comes, is refused with this. */
  close(error: Error): void {
    this.#closed = error
    this.#abort?.(error)
    void this.#quietly(() => this.sink.end())
  }

  #send(piece: string | Uint8Array): Promise<void> {
    if (this.#closed) return Promise.reject(this.#closed)
    return new Promise((resolve, reject) => {
      // Whoever holds the other end may never read it, so the end of the child has to end the wait by itself.
      this.#abort = reject
      this.#push(piece).then(resolve, reject)
    })
  }

  async #push(piece: string | Uint8Array): Promise<void> {
    const written: unknown = this.sink.write(typeof piece === "string" ? `${piece}\n` : piece)
    // A sink that failed before says so by a plain `true` in place of a number.
    if (written === true) throw new Error("the pipe is closed")
    // Both, because either of them may be the one that waits and fails; a flush may also throw at once.
    await Promise.all([written, (async () => this.sink.flush())()])
  }

  async #quietly(action: () => unknown): Promise<void> {
    try {
      await action()
    } catch {
      // The reader is gone already; there is nothing left to close.
    }
  }
}

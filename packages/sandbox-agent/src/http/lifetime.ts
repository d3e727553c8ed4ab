import { SandboxAgentError } from "../errors.ts"

/**
 * How long a client is used: what it has open ends with it. A set in place of an AbortSignal, of which Node warns once eleven
 * requests listen to it.
 */
export class Lifetime {
  readonly #listeners = new Set<() => void>()
  #over = false

  get over(): boolean {
    return this.#over
  }

  /** Calls back when it is over, at once where it is already. Returns what takes that back. */
  whenOver(listener: () => void): () => void {
    if (this.#over) listener()
    else this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  end(): void {
    this.#over = true
    for (const listener of [...this.#listeners]) listener()
    this.#listeners.clear()
  }

  /** What happened to whoever was busy then, or asks later. */
  error(what: string): SandboxAgentError {
    return new SandboxAgentError("aborted", `${what}: the client was disposed`)
  }
}

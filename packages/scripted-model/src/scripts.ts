import type { Answer, AnswerFunction } from "./part.ts"
import { StepQueue } from "./queue.ts"
import type { ModelRequest } from "./request.ts"
import type { ScriptItem } from "./step.ts"

/** Name of the script for requests of sessions that have none of their own. */
export const SHARED = ""

/** The scripts of all sessions. */
export class Scripts {
  readonly #queues = new Map<string, StepQueue>()

  append(session: string, items: readonly ScriptItem[]): void {
    const queue = this.#queues.get(session) ?? new StepQueue()
    this.#queues.set(session, queue)
    queue.append(items)
  }

  /** The first key that has a script, else the shared one. */
  sessionFor(keys: readonly string[]): string {
    return keys.find((key) => this.#queues.has(key)) ?? SHARED
  }

  claim(request: ModelRequest): Answer | AnswerFunction | undefined {
    return this.#queues.get(request.session)?.claim(request)
  }

  unused(): string[] {
    return [...this.#queues].flatMap(([session, queue]) =>
      queue.unused().map((step) => (session === SHARED ? step : `session ${session}, ${step}`)),
    )
  }

  clear(): void {
    this.#queues.clear()
  }
}

import type { Answer, Ask } from "../protocol.ts"
import type { Ids } from "./ids.ts"
import { Interrupted, interruptible } from "./interrupt.ts"
import type { Output } from "./output.ts"

type Question = Ask extends infer A ? (A extends Ask ? Omit<A, "type" | "id"> : never) : never

/** The questions a person has not answered yet. */
export class PendingRequests {
  private readonly open = new Map<string, (answer: Answer) => void>()

  constructor(
    private readonly out: Output,
    private readonly ids: Ids,
  ) {}

  async ask(question: Question, signal: AbortSignal): Promise<Answer> {
    const id = this.ids.next()
    const { promise, resolve } = Promise.withResolvers<Answer>()
    this.open.set(id, resolve)
    this.out.line({ type: "ask", id, ...question } as Ask)
    try {
      return await interruptible(promise, signal)
    } catch (error) {
      if (error instanceof Interrupted) this.out.line({ type: "ask_cancelled", id })
      throw error
    } finally {
      this.open.delete(id)
    }
  }

  /** An answer that crossed with an interrupt comes to nothing. */
  answer(id: string, answer: Answer): void {
    this.open.get(id)?.(answer)
  }
}

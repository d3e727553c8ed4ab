import { describeStep } from "./describe.ts"
import type { Answer, AnswerFunction } from "./part.ts"
import type { ModelRequest } from "./request.ts"
import { type ScriptItem, type Step, toStep } from "./step.ts"

interface Entry {
  step: Step
  position: number
  left: number
}

/** The steps of one session, used up in order. */
export class StepQueue {
  #entries: Entry[] = []
  #appended = 0

  append(items: readonly ScriptItem[]): void {
    for (const item of items) {
      const step = toStep(item)
      this.#appended += 1
      this.#entries.push({ step, position: this.#appended, left: step.times })
    }
  }

  /** The answer for this request; its step is used up at once, so that two requests never get the same. */
  claim(request: ModelRequest): Answer | AnswerFunction | undefined {
    const fits = ({ step, left }: Entry) =>
      left > 0 && step.side === request.side && step.matchers.every((matcher) => matcher(request))
    const entry =
      this.#entries.find((each) => !each.step.fallback && fits(each)) ??
      this.#entries.find((each) => each.step.fallback && fits(each))
    if (entry === undefined) return undefined
    entry.left -= 1
    return entry.step.answer
  }

  unused(): string[] {
    return this.#entries
      .filter(({ step, left }) => left > 0 && !step.optional)
      .map(({ step, position, left }) => `step ${position}${left > 1 ? ` (${left} times)` : ""}: ${describeStep(step)}`)
  }
}

import type { Answer, AnswerFunction } from "./part.ts"
import type { AnsweredSide, ModelRequest } from "./request.ts"

export interface Matcher {
  (request: ModelRequest): boolean
  /** Named in the message about steps that were not used. */
  label?: string
}

export interface Step {
  type: "step"
  answer: Answer | AnswerFunction
  matchers: readonly Matcher[]
  times: number
  /** Used only when no other step of the script fits. */
  fallback: boolean
  optional: boolean
  side: AnsweredSide | undefined
}

export type ScriptItem = Step | Answer | AnswerFunction

/** Used by the first request that fits; other requests pass it over. */
export function when(matcher: Matcher, item: ScriptItem): Step {
  const step = toStep(item)
  return { ...step, matchers: [...step.matchers, matcher] }
}

/** Used so many times in a row. */
export function times(count: number, item: ScriptItem): Step {
  if (!Number.isInteger(count) || count < 1) throw new RangeError(`times(${count}): a whole number from 1`)
  return { ...toStep(item), times: count }
}

/** The answer when no other step of the script fits, any number of times. */
export function always(item: ScriptItem): Step {
  return { ...toStep(item), times: Number.POSITIVE_INFINITY, fallback: true, optional: true }
}

/** `assertDone` does not mind when it is left over. */
export function optional(item: ScriptItem): Step {
  return { ...toStep(item), optional: true }
}

/** Answers a side request (title, compaction, probe) of this session in place of the default. */
export function onSide(kind: AnsweredSide, item: ScriptItem): Step {
  return { ...toStep(item), side: kind }
}

export function toStep(item: ScriptItem): Step {
  if (typeof item === "object" && item.type === "step") return item
  return {
    type: "step",
    answer: item,
    matchers: [],
    times: 1,
    fallback: false,
    optional: false,
    side: undefined,
  }
}

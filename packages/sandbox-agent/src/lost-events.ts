import { ProblemError } from "./errors.ts"

/** Where to go on when events are damaged or no longer kept; undefined for any other error. */
export function offsetAfterLoss(error: unknown): number | undefined {
  if (!(error instanceof ProblemError)) return undefined
  const { offset, firstSequence }: Record<string, unknown> = error.problem ?? {}
  if (error.code === "internal" && typeof offset === "number") return offset
  return error.code === "gone" && typeof firstSequence === "number" ? firstSequence - 1 : undefined
}

import type { NativeQuestion } from "../../core/driver-sink.ts"
import type { QuestionRequest } from "./native.ts"

/** Questions of OpenCode; a person may answer in their own words unless it says otherwise. */
export function questionOf({ questions }: Pick<QuestionRequest, "questions">): NativeQuestion {
  return {
    type: "question",
    questions: questions.map(({ question, header, options, multiple, custom }, index) => ({
      id: String(index),
      ...(header && { header }),
      prompt: question,
      type: options.length === 0 ? ("text" as const) : ("choice" as const),
      options: options.map(({ label, description }) => ({ label, ...(description && { description }) })),
      multi_select: multiple === true,
      allow_other: custom !== false,
    })),
  }
}

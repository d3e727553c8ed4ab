import type { QuestionPart } from "@sandbox-agent/schema/request"
import type { NativeQuestion } from "../../core/driver-sink.ts"
import type { UserInputRequest } from "./native.ts"

/** `request_user_input`. It does not say whether one choice or several are meant, and takes several. */
export const questionOf = ({ questions }: UserInputRequest): NativeQuestion => ({
  type: "question",
  questions: questions.map(part),
})

function part({
  id,
  header,
  question,
  isOther,
  isSecret,
  options,
}: UserInputRequest["questions"][number]): QuestionPart {
  const labels = (options ?? []).map(({ label, description }) => ({ label, ...(description && { description }) }))
  const choice = labels.length > 0
  return {
    id,
    ...(header && { header }),
    prompt: question,
    type: choice ? "choice" : "text",
    options: labels,
    multi_select: choice,
    allow_other: isOther !== false || !choice,
    ...(isSecret && { secret: true }),
  }
}

type Answers = { answers: Record<string, { answers: string[] }> }

/** What is none of the choices is a note of the user's, in Codex's own words. */
export function userInputAnswer({ questions }: UserInputRequest, answers: readonly (readonly string[])[]): Answers {
  const given = questions.flatMap(({ id, options }, index) => {
    const chosen = answers[index] ?? []
    const labels = (options ?? []).map(({ label }) => label)
    const said = chosen.map((one) => (labels.includes(one) ? one : `user_note: ${one}`))
    return said.length === 0 ? [] : [[id, { answers: said }]]
  })
  return { answers: Object.fromEntries(given) }
}

/** No answer; what the person said instead goes with the first question. */
export function userInputRefusal({ questions }: UserInputRequest, message: string | undefined): Answers {
  const [first] = questions
  if (first === undefined) return { answers: {} }
  const words = "The user does not want to answer. Go on without it."
  return { answers: { [first.id]: { answers: [`user_note: ${message ? `${words} ${message}` : words}`] } } }
}

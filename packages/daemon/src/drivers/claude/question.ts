import type { QuestionPart } from "@sandbox-agent/schema/request"
import type { NativeQuestion } from "../../core/driver.ts"
import { asInput, type Input, textOf } from "./tool-call.ts"

/** AskUserQuestion: a person may always answer in their own words. `undefined`: not a question we can show. */
export function questionOf(input: Input): NativeQuestion | undefined {
  if (!Array.isArray(input.questions) || input.questions.length === 0) return undefined
  return { type: "question", questions: input.questions.map(asInput).map(part) }
}

function part(question: Input, index: number): QuestionPart {
  const options = Array.isArray(question.options) ? question.options.map(asInput) : []
  const header = textOf(question.header)
  return {
    id: String(index),
    ...(header !== undefined && { header }),
    prompt: textOf(question.question) ?? "",
    type: "choice",
    options: options.map((option) => {
      const description = textOf(option.description)
      return { label: textOf(option.label) ?? "", ...(description !== undefined && { description }) }
    }),
    multi_select: question.multiSelect === true,
    allow_other: true,
  }
}

/** Answers go back under the text of their question, several choices in one line. */
export function answeredInput(input: Input, answers: readonly (readonly string[])[]): Input {
  const questions = Array.isArray(input.questions) ? input.questions.map(asInput) : []
  const given = questions.flatMap((question, index) => {
    const chosen = answers[index] ?? []
    return chosen.length === 0 ? [] : [[textOf(question.question) ?? "", chosen.join(", ")]]
  })
  return { ...input, answers: Object.fromEntries(given) }
}

export const APPROVE = "Approve"
export const REJECT = "Reject"

/** ExitPlanMode: any other answer than these two is what the plan should become. */
export function planQuestion(input: Input): NativeQuestion {
  const prompt = textOf(input.plan) || "Claude has finished planning and wants to begin."
  const options = [
    { label: APPROVE, description: "Leave plan mode and carry it out" },
    { label: REJECT, description: "Go on planning" },
  ]
  const question = { id: "plan", header: "Plan", prompt, type: "choice" as const, options }
  const questions = [{ ...question, multi_select: false, allow_other: true, required: true }]
  return { type: "question", purpose: "plan_approval", questions }
}

import type { QuestionPart } from "@sandbox-agent/schema/request"
import type { NativeQuestion } from "../../core/driver-sink.ts"
import { type Json, record, text } from "../shared/json.ts"

/** AskUserQuestion: a person may always answer in their own words. `undefined`: not a question we can show. */
export function questionOf(input: Json): NativeQuestion | undefined {
  if (!Array.isArray(input.questions) || input.questions.length === 0) return undefined
  return { type: "question", questions: input.questions.map(record).map(part) }
}

function part(question: Json, index: number): QuestionPart {
  const options = Array.isArray(question.options) ? question.options.map(record) : []
  const header = text(question.header)
  return {
    id: String(index),
    ...(header !== undefined && { header }),
    prompt: text(question.question) ?? "",
    type: "choice",
    options: options.map((option) => {
      const description = text(option.description)
      return { label: text(option.label) ?? "", ...(description !== undefined && { description }) }
    }),
    multi_select: question.multiSelect === true,
    allow_other: true,
  }
}

/** Answers go back under the text of their question, several choices in one line. */
export function answeredInput(input: Json, answers: readonly (readonly string[])[]): Json {
  const questions = Array.isArray(input.questions) ? input.questions.map(record) : []
  const given = questions.flatMap((question, index) => {
    const chosen = answers[index] ?? []
    return chosen.length === 0 ? [] : [[text(question.question) ?? "", chosen.join(", ")]]
  })
  return { ...input, answers: Object.fromEntries(given) }
}

export const APPROVE = "Approve"
export const REJECT = "Reject"

/** ExitPlanMode: any other answer than these two is what the plan should become. */
export function planQuestion(input: Json): NativeQuestion {
  const prompt = text(input.plan) || "Claude has finished planning and wants to begin."
  const options = [
    { label: APPROVE, description: "Leave plan mode and carry it out" },
    { label: REJECT, description: "Go on planning" },
  ]
  const question = { id: "plan", header: "Plan", prompt, type: "choice" as const, options }
  const questions = [{ ...question, multi_select: false, allow_other: true, required: true }]
  return { type: "question", purpose: "plan_approval", questions }
}

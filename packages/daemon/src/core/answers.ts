import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { QuestionPart } from "@sandbox-agent/schema/request"
import type { NativeQuestion } from "./driver-sink.ts"

/** The answers without those that say nothing; throws for one that the question cannot have. */
export function checkedAnswers(native: NativeQuestion, answers: readonly string[][]): string[][] {
  const { questions } = native
  if (answers.length !== questions.length)
    throw invalid(`answers: expected ${questions.length} arrays, one per question, got ${answers.length}`)
  return questions.map((part, i) => {
    const given = (answers[i] ?? []).filter((answer) => answer !== "")
    const fault = faultIn(part, given) ?? (given.length > 0 ? native.fault?.(i, given) : undefined)
    if (fault !== undefined) throw invalid(`answers[${i}] (${part.id}): ${fault}`)
    return given
  })
}

const invalid = (detail: string) => new SandboxAgentError("invalid_request", detail)

function faultIn(part: QuestionPart, given: readonly string[]): string | undefined {
  if (part.required && given.length === 0) return "an answer is required"
  if (!part.multi_select && given.length > 1) return "only one answer is allowed"
  const labels = part.options.map(({ label }) => label)
  const wrong = given.find((answer) => !fits(part, labels, answer))
  if (wrong === undefined) return undefined
  if (part.type === "number") return `${JSON.stringify(wrong)} is no number`
  const offered = part.type === "boolean" && labels.length === 0 ? yesOrNo : labels
  return `${JSON.stringify(wrong)} is not one of ${offered.join(", ")}`
}

const yesOrNo = ["true", "false"]
const decimal = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i

function fits({ type, allow_other }: QuestionPart, labels: readonly string[], answer: string): boolean {
  if (type === "number") return decimal.test(answer) && Number.isFinite(Number(answer))
  if (type === "boolean") return (labels.length === 0 ? yesOrNo : labels).includes(answer)
  return type === "text" || allow_other || labels.includes(answer)
}

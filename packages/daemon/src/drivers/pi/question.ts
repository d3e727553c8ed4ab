import type { QuestionPart } from "@sandbox-agent/schema/request"
import type { NativeAnswer } from "../../core/driver.ts"
import type { NativeQuestion } from "../../core/driver-sink.ts"
import { confirmation } from "../shared/elicitation.ts"
import { type Json, list, record, text } from "../shared/json.ts"
import type { DialogLine } from "./native.ts"

/** What is asked by the tool of our extension: a person may always answer in their own words. */
export const questionsOf = (asked: readonly unknown[]): NativeQuestion => ({
  type: "question",
  questions: asked.map(record).map(part),
})

function part(question: Json, index: number): QuestionPart {
  const options = list(question.options).map(option)
  const header = text(question.header)
  return {
    id: String(index),
    ...(header !== undefined && { header }),
    prompt: text(question.question) ?? "",
    type: options.length > 0 ? "choice" : "text",
    options,
    multi_select: question.multiSelect === true,
    allow_other: true,
  }
}

const option = (given: unknown): { label: string; description?: string } => {
  const { label, description } = record(given)
  const words = text(description)
  return { label: text(label) ?? text(given) ?? "", ...(words !== undefined && { description: words }) }
}

/** A dialog of an extension of the user's. `undefined`: it only shows something. */
export function dialogQuestion({
  method,
  title = "",
  message,
  options,
  prefill,
}: DialogLine): NativeQuestion | undefined {
  const prompt = [title, message, prefill].filter((text) => text !== undefined && text !== "").join("\n")
  if (method === "confirm") return confirmation(prompt)
  const text = { id: "value", prompt, multi_select: false }
  if (method === "select") {
    if (list(options).length === 0) throw new Error("there is nothing to choose from")
    const choice = { ...text, type: "choice" as const, options: list(options).map(option), allow_other: false }
    return { type: "question", questions: [choice] }
  }
  if (method === "input" || method === "editor")
    return { type: "question", questions: [{ ...text, type: "text", options: [], allow_other: true }] }
  return undefined
}

export type DialogAnswer = { value: string } | { confirmed: boolean } | { cancelled: true }

export function dialogAnswer({ method }: DialogLine, answer: NativeAnswer): DialogAnswer {
  const chosen = answer.kind === "question" ? answer.answers[0]?.[0] : undefined
  if (chosen === undefined) return { cancelled: true }
  return method === "confirm" ? { confirmed: chosen === "Accept" } : { value: chosen }
}

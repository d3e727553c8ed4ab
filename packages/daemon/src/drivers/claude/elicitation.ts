import type { QuestionPart } from "@sandbox-agent/schema/request"
import type { NativeQuestion } from "../../core/driver.ts"
import type { Elicitation, ElicitedField } from "./native.ts"

type Form = Partial<Elicitation>

/** A form or an address that an MCP server wants a person to see. */
export function elicitationQuestion({ message = "", url, requested_schema: schema = {} }: Form): NativeQuestion {
  if (url !== undefined) return { type: "question", questions: [{ ...confirm(message), url }] }
  const fields = Object.entries(schema.properties ?? {})
  if (fields.length === 0) return { type: "question", questions: [confirm(message)] }
  const questions = fields.map(([id, field]) => part(id, field, message, schema.required?.includes(id) ?? false))
  return { type: "question", questions }
}

const confirm = (prompt: string): QuestionPart => ({
  id: "confirm",
  prompt,
  type: "choice",
  options: [{ label: "Accept" }, { label: "Decline" }],
  multi_select: false,
  allow_other: false,
})

function part(id: string, field: ElicitedField, message: string, required: boolean): QuestionPart {
  const plain = { id, header: field.title ?? id, prompt: [message, field.description ?? field.title ?? id].join("\n") }
  const rest = { multi_select: false, required }
  if (field.enum !== undefined) {
    const options = field.enum.map((label) => ({ label }))
    return { ...plain, ...rest, type: "choice", options, allow_other: false }
  }
  if (field.type === "boolean") {
    const options = [{ label: "true" }, { label: "false" }]
    return { ...plain, ...rest, type: "boolean", options, allow_other: false }
  }
  const type = field.type === "number" || field.type === "integer" ? "number" : "text"
  return { ...plain, ...rest, type, options: [], allow_other: true }
}

/** The answer in the words of MCP. */
export function elicitationAnswer(
  { requested_schema: schema = {} }: Form,
  answers: readonly (readonly string[])[],
): unknown {
  const fields = Object.entries(schema.properties ?? {})
  if (fields.length === 0) return { action: answers[0]?.[0] === "Accept" ? "accept" : "decline" }
  const given = fields.flatMap(([id, field], index) => {
    const [answer] = answers[index] ?? []
    return answer === undefined ? [] : [[id, answerValue(field, answer)]]
  })
  return { action: "accept", content: Object.fromEntries(given) }
}

function answerValue({ type }: ElicitedField, answer: string): unknown {
  if (type === "boolean") return answer === "true"
  return type === "number" || type === "integer" ? Number(answer) : answer
}

import type { QuestionPart } from "@sandbox-agent/schema/request"
import type { NativeQuestion } from "../../core/driver.ts"
import type { Elicitation, ElicitedField } from "./native.ts"

/** A form or an address that an MCP server wants a person to see. */
export function elicitationQuestion({ message = "", url, requestedSchema = {} }: Elicitation): NativeQuestion {
  if (url !== undefined) return { type: "question", questions: [{ ...confirm(message), url }] }
  const fields = Object.entries(requestedSchema.properties ?? {})
  if (fields.length === 0) return { type: "question", questions: [confirm(message)] }
  const { required = [] } = requestedSchema
  return { type: "question", questions: fields.map(([id, field]) => part(id, field, message, required.includes(id))) }
}

const confirm = (prompt: string): QuestionPart => ({
  id: "confirm",
  prompt,
  type: "choice",
  options: [{ label: "Accept" }, { label: "Decline" }],
  multi_select: false,
  allow_other: false,
})

/** The values a field can have, with the names they are shown by. */
function choicesOf({ enum: plain, oneOf, items }: ElicitedField): { value: string; label: string }[] {
  const titled = oneOf ?? items?.anyOf
  if (titled) return titled.map(({ const: value, title }) => ({ value, label: title ?? value }))
  return (plain ?? items?.enum ?? []).map((value) => ({ value, label: value }))
}

function part(id: string, field: ElicitedField, message: string, required: boolean): QuestionPart {
  const prompt = [message, field.description ?? field.title ?? id].join("\n")
  const common = { id, header: field.title ?? id, prompt, multi_select: field.type === "array", required }
  const options = choicesOf(field).map(({ label }) => ({ label }))
  if (options.length > 0) return { ...common, type: "choice", options, allow_other: false }
  if (field.type === "boolean")
    return { ...common, type: "boolean", options: [{ label: "true" }, { label: "false" }], allow_other: false }
  const type = field.type === "number" || field.type === "integer" ? "number" : "text"
  return { ...common, type, options: [], allow_other: true }
}

/** The answer in the words of MCP. */
export function elicitationAnswer({ requestedSchema = {} }: Elicitation, answers: readonly (readonly string[])[]) {
  const fields = Object.entries(requestedSchema.properties ?? {})
  if (fields.length === 0) {
    const accepted = answers[0]?.[0] === "Accept"
    return { action: accepted ? "accept" : "decline", content: accepted ? {} : null, _meta: null }
  }
  const given = fields.flatMap(([id, field], index) => {
    const chosen = answers[index] ?? []
    return chosen.length === 0 ? [] : [[id, fieldValue(field, chosen)]]
  })
  return { action: "accept", content: Object.fromEntries(given), _meta: null }
}

function fieldValue(field: ElicitedField, chosen: readonly string[]): unknown {
  const choices = choicesOf(field)
  const values = chosen.map((label) => choices.find((one) => one.label === label)?.value ?? label)
  if (field.type === "array") return values
  const [value = ""] = values
  if (field.type === "boolean") return value === "true"
  return field.type === "number" || field.type === "integer" ? Number(value) : value
}

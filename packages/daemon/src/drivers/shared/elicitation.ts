import type { QuestionPart } from "@sandbox-agent/schema/request"
import type { NativeQuestion } from "../../core/driver-sink.ts"
import { type Choice, choicesOf } from "./form-choices.ts"
import { formFaults } from "./form-faults.ts"
import { type Json, list, record, text } from "./json.ts"

/** A form or an address that an MCP server wants a person to see, in the words of MCP. Nothing of it is promised. */
export interface Elicitation {
  message?: unknown
  url?: unknown
  requestedSchema?: unknown
}

export type ElicitationAnswer = { action: "accept"; content?: Json } | { action: "decline" }

/** One question of a form. */
export interface FormField {
  id: string
  schema: Json
  required: boolean
}

export function elicitationQuestion(asked: Elicitation): NativeQuestion {
  const message = text(asked.message) ?? ""
  const fields = fieldsOf(asked)
  if (fields.length === 0) return confirmation(message, text(asked.url))
  const alone = fields.length === 1
  const questions = fields.map((field) => fieldQuestion(field, promptOf(field, message, alone)))
  return { type: "question", questions, ...formFaults(fields) }
}

export function elicitationAnswer(asked: Elicitation, answers: readonly (readonly string[])[]): ElicitationAnswer {
  const fields = fieldsOf(asked)
  if (fields.length === 0) return { action: answers[0]?.[0] === "Accept" ? "accept" : "decline" }
  const given = fields.flatMap(({ id, schema }, index) => {
    const chosen = answers[index] ?? []
    return chosen.length === 0 ? [] : [[id, fieldValue(schema, chosen)]]
  })
  return given.length === 0 ? { action: "decline" } : { action: "accept", content: Object.fromEntries(given) }
}

/** None where an address is to be opened, whatever stands beside it. */
export function fieldsOf({ url, requestedSchema }: Elicitation): FormField[] {
  if (text(url) !== undefined) return []
  const { properties, required } = record(requestedSchema)
  return Object.entries(record(properties)).map(([id, schema]) => ({
    id,
    schema: record(schema),
    required: list(required).includes(id),
  }))
}

/** There is nothing to fill in: a person agrees or does not. */
export const confirmation = (prompt: string, url?: string): NativeQuestion => ({
  type: "question",
  questions: [
    {
      id: "confirm",
      prompt,
      type: "choice",
      options: [{ label: "Accept" }, { label: "Decline" }],
      multi_select: false,
      allow_other: false,
      ...(url !== undefined && { url }),
    },
  ],
})

/** Every question is shown by itself: each says what the form is for, and of several each says what it is. */
export function promptOf({ id, schema }: FormField, message: string, alone: boolean): string {
  const name = alone && message !== "" ? undefined : (text(schema.title) ?? id)
  const words = text(schema.description) ?? name ?? ""
  return [message, words].filter((said, i, all) => said !== "" && all.indexOf(said) === i).join("\n")
}

export function fieldQuestion({ id, schema, required }: FormField, prompt: string): QuestionPart {
  const choices = choicesOf(schema)
  return {
    id,
    header: text(schema.title) ?? id,
    prompt,
    type: typeOf(schema, choices),
    options: choices.map(({ label, description }) => ({ label, ...(description !== undefined && { description }) })),
    multi_select: schema.type === "array",
    allow_other: choices.length === 0,
    required,
  }
}

function typeOf({ type }: Json, choices: readonly Choice[]): QuestionPart["type"] {
  if (type === "boolean") return "boolean"
  if (choices.length > 0) return "choice"
  return type === "number" || type === "integer" ? "number" : "text"
}

/** At least one answer, as the type that the field asks for. */
export function fieldValue(schema: Json, answers: readonly string[]): unknown {
  const choices = choicesOf(schema)
  const values = answers.map((label) => {
    const chosen = choices.find((choice) => choice.label === label)
    return chosen === undefined ? label : chosen.value
  })
  if (schema.type === "array") return values
  const [value] = values
  return schema.type === "number" || schema.type === "integer" ? Number(value) : value
}

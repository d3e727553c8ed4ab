import type { QuestionPart } from "@sandbox-agent/schema/request"
import type { NativeQuestion } from "../../core/driver.ts"
import { at, type Json, list, record, text } from "../shared/json.ts"

/** One question of a form; a field beside it that only takes free text is its "other". */
interface Field {
  id: string
  schema: Json
  other: string | undefined
  required: boolean
}

const otherSuffixes = ["_custom", "_note"]
const NONE = "None of the above"

const confirm = (prompt: string): QuestionPart => ({
  id: "confirm",
  prompt,
  type: "choice",
  options: [{ label: "Accept" }, { label: "Decline" }],
  multi_select: false,
  allow_other: false,
})

/** A form, or an address a person is to open. */
export function elicitationQuestion(params: Json): NativeQuestion {
  const message = text(params.message) ?? ""
  const url = text(params.url)
  if (url !== undefined) return { type: "question", questions: [{ ...confirm(message), url }] }
  const fields = fieldsOf(params)
  if (fields.length === 0) return { type: "question", questions: [confirm(message)] }
  return { type: "question", questions: fields.map((field) => part(field, fields.length === 1 ? message : "")) }
}

function fieldsOf(params: Json): Field[] {
  const { properties, required } = record(params.requestedSchema)
  const all = record(properties)
  const otherOf = (id: string) => otherSuffixes.map((suffix) => `${id}${suffix}`).find((name) => name in all)
  const others = new Set(Object.keys(all).flatMap((id) => otherOf(id) ?? []))
  return Object.entries(all)
    .filter(([id]) => !others.has(id))
    .map(([id, schema]) => ({
      id,
      schema: record(schema),
      other: otherOf(id),
      required: list(required).includes(id),
    }))
}

function part({ id, schema, other, required }: Field, message: string): QuestionPart {
  const [title, description] = [text(schema.title), text(schema.description)]
  // Codex puts the question into the title and its heading into the description; all others the other way round.
  const swapped = at(schema, "_meta", "codex") !== undefined
  const [header, prompt] = swapped ? [description, title] : [title, description]
  const secret = at(schema, "_meta", "codex", "isSecret") === true
  const options = choicesOf(schema)
  const type = options.length > 0 && schema.type !== "boolean" ? "choice" : (types[text(schema.type) ?? ""] ?? "text")
  return {
    id,
    ...(header !== undefined && { header }),
    prompt: prompt ?? header ?? (message || id),
    type,
    options: options
      .filter(({ value }) => other === undefined || value !== NONE)
      .map(({ label, description: why }) => ({ label, ...(why !== undefined && { description: why }) })),
    // Codex takes several; its adapter has room for them in the note.
    multi_select: schema.type === "array" || (swapped && other !== undefined),
    allow_other: other !== undefined || options.length === 0,
    required,
    ...(secret && { secret }),
  }
}

const types: Record<string, QuestionPart["type"]> = { number: "number", integer: "number", boolean: "boolean" }

interface Choice {
  value: unknown
  label: string
  description?: string
}

function choicesOf(schema: Json): Choice[] {
  if (schema.type === "boolean") return [true, false].map((value) => ({ value, label: String(value) }))
  const items = schema.type === "array" ? record(schema.items) : schema
  const described = [...list(items.oneOf), ...list(items.anyOf)].map(record)
  if (described.length > 0)
    return described.map((one) => ({
      value: one.const,
      label: text(one.title) ?? String(one.const),
      description: text(one.description),
    }))
  const names = list(items.enumNames)
  return list(items.enum).map((value, i) => ({ value, label: text(names[i]) ?? String(value) }))
}

/** The answers under the names of their fields. */
export function elicitationAnswer(params: Json, answers: readonly (readonly string[])[]): object {
  const fields = text(params.url) === undefined ? fieldsOf(params) : []
  if (fields.length === 0) return { action: answers[0]?.[0] === "Accept" ? "accept" : "decline" }
  const content = Object.assign({}, ...fields.map((field, i) => given(field, answers[i] ?? [])))
  return { action: "accept", content }
}

function given({ id, schema, other, required }: Field, answers: readonly string[]): Json {
  if (answers.length === 0) return {}
  const choices = choicesOf(schema)
  const chosen = answers.flatMap((label) => choices.find((choice) => choice.label === label)?.value ?? [])
  const spare =
    schema.type === "array" ? [] : answers.filter((label) => choices.some((one) => one.label === label)).slice(1)
  const own = [...spare, ...answers.filter((label) => !choices.some((choice) => choice.label === label))]
  const free = own.length > 0 && other !== undefined ? { [other]: own.join(", ") } : {}
  if (schema.type === "array") return { ...(chosen.length > 0 && { [id]: chosen }), ...free }
  if (chosen.length > 0) return { [id]: chosen[0], ...free }
  // A required choice must be one of those offered.
  const none = choices.find(({ value }) => value === NONE)
  if (other !== undefined) return { ...(required && none && { [id]: none.value }), ...free }
  return { [id]: answerValue(schema, answers[0] ?? "") }
}

/** The other way: what a filled form says, in the words of the questions. */
export function answersOf(params: Json, content: Json): string[][] {
  const fields = text(params.url) === undefined ? fieldsOf(params) : []
  if (fields.length === 0) return [["Accept"]]
  return fields.map(({ id, schema, other }) => {
    const choices = choicesOf(schema)
    const values = [content[id] ?? []].flat()
    const chosen = values.map((value) => choices.find((choice) => choice.value === value)?.label ?? String(value))
    const own = other === undefined ? undefined : text(content[other])
    return own === undefined || own === "" ? chosen : [...chosen.filter((label) => label !== NONE), own]
  })
}

function answerValue({ type }: Json, answer: string): unknown {
  if (type === "boolean") return answer === "true"
  return type === "number" || type === "integer" ? Number(answer) : answer
}

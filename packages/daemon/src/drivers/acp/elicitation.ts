import type { QuestionPart } from "@sandbox-agent/schema/request"
import type { NativeQuestion } from "../../core/driver-sink.ts"
import {
  confirmation,
  type ElicitationAnswer,
  type FormField,
  fieldQuestion,
  fieldValue,
  elicitationAnswer as plainAnswer,
  fieldsOf as plainFields,
  promptOf,
} from "../shared/elicitation.ts"
import { choicesOf } from "../shared/form-choices.ts"
import { formFaults } from "../shared/form-faults.ts"
import { at, type Json, text } from "../shared/json.ts"

/** One question of a form; a field beside it that only takes free text is its "other". */
interface Field extends FormField {
  other: string | undefined
}

const otherSuffixes = ["_custom", "_note"]
const NONE = "None of the above"

/** A form, or an address a person is to open. */
export function elicitationQuestion(params: Json): NativeQuestion {
  const message = text(params.message) ?? ""
  const fields = fieldsOf(params)
  if (fields.length === 0) return confirmation(message, text(params.url))
  const questions = fields.map((field) => question(field, message, fields.length === 1))
  // With room for other words nothing can be said of them.
  return {
    type: "question",
    questions,
    ...formFaults(fields.map((f) => (f.other === undefined ? f : { ...f, schema: {} }))),
  }
}

export function fieldsOf(params: Json): Field[] {
  const all = plainFields(params)
  const otherOf = (id: string) =>
    otherSuffixes.map((suffix) => `${id}${suffix}`).find((name) => all.some((field) => field.id === name))
  const others = new Set(all.flatMap(({ id }) => otherOf(id) ?? []))
  return all.filter(({ id }) => !others.has(id)).map((field) => ({ ...field, other: otherOf(field.id) }))
}

function question({ other, ...given }: Field, message: string, alone: boolean): QuestionPart {
  const { _meta, title, description } = given.schema
  // Codex puts the question into the title and its heading into the description; all others the other way round.
  const swapped = at(_meta, "codex") !== undefined
  const field = swapped ? { ...given, schema: { ...given.schema, title: description, description: title } } : given
  // A tool that asks has the question in the field; the message is then a phrase of the adapter's.
  const asks = (swapped || other !== undefined) && text(field.schema.description) !== undefined
  const plain = fieldQuestion(field, promptOf(field, asks ? "" : message, alone))
  const none = choicesOf(field.schema).find(({ value }) => value === NONE)?.label
  return {
    ...plain,
    options: other === undefined ? plain.options : plain.options.filter(({ label }) => label !== none),
    // Codex takes several; its adapter has room for them in the note.
    multi_select: plain.multi_select || (swapped && other !== undefined),
    allow_other: plain.allow_other || other !== undefined,
    ...(at(_meta, "codex", "isSecret") === true && { secret: true }),
  }
}

/** The answers under the names of their fields. */
export function elicitationAnswer(params: Json, answers: readonly (readonly string[])[]): ElicitationAnswer {
  const fields = fieldsOf(params)
  if (fields.length === 0) return plainAnswer(params, answers)
  const content = Object.assign({}, ...fields.map((field, i) => given(field, answers[i] ?? [])))
  return answers.every((answer) => answer.length === 0) ? { action: "decline" } : { action: "accept", content }
}

function given({ id, schema, other, required }: Field, answers: readonly string[]): Json {
  if (answers.length === 0) return {}
  if (other === undefined) return { [id]: fieldValue(schema, answers) }
  const choices = choicesOf(schema)
  const chosen = answers.filter((label) => choices.some((choice) => choice.label === label))
  const freeText = answers.filter((label) => !chosen.includes(label))
  // A field of one value has room for the rest beside it.
  const spare = schema.type === "array" ? freeText : [...chosen.slice(1), ...freeText]
  const free = spare.length > 0 ? { [other]: spare.join(", ") } : {}
  if (chosen.length > 0) return { [id]: fieldValue(schema, chosen), ...free }
  // A required choice must be one of those offered.
  const none = choices.find(({ value }) => value === NONE)
  return { ...(required && none && { [id]: none.value }), ...free }
}

/** The other way: what a filled form says, in the words of the questions. */
export function answersOf(params: Json, content: Json): string[][] {
  const fields = fieldsOf(params)
  if (fields.length === 0) return [["Accept"]]
  return fields.map(({ id, schema, other }) => {
    const choices = choicesOf(schema)
    const values = [content[id] ?? []].flat()
    const chosen = values.map((value) => choices.find((choice) => choice.value === value)?.label ?? String(value))
    const freeText = other === undefined ? undefined : text(content[other])
    return freeText === undefined || freeText === "" ? chosen : [...chosen.filter((label) => label !== NONE), freeText]
  })
}

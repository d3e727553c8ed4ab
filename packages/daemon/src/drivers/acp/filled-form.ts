import { choicesOf } from "../shared/form-choices.ts"
import { formFaults } from "../shared/form-faults.ts"
import { type Json, text } from "../shared/json.ts"
import { fieldsOf } from "./elicitation.ts"

/** What is wrong with a form that a client filled in itself, by the rules that answers to its questions have. */
export function faultInForm(params: Json, content: Json): string | undefined {
  for (const field of fieldsOf(params)) {
    const { id, schema, required, other } = field
    const value = content[id]
    const fault = isGiven(value)
      ? faultInValue(schema, value)
      : required && !(other !== undefined && isGiven(content[other]))
        ? "an answer is required"
        : undefined
    if (fault !== undefined) return `content.${id}: ${fault}`
    const words = other === undefined ? undefined : content[other]
    if (isGiven(words) && text(words) === undefined) return `content.${other}: a string is expected`
  }
  return undefined
}

/** An empty text is no answer. */
const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== ""

function faultInValue(schema: Json, value: unknown): string | undefined {
  const isList = schema.type === "array"
  if (isList !== Array.isArray(value)) return isList ? "an array is expected" : "one value is expected"
  const values: unknown[] = [value].flat()
  const choices = choicesOf(schema)
  const wrong = values.find((one) => !choices.some((choice) => choice.value === one))
  if (choices.length > 0 && wrong !== undefined)
    return `${JSON.stringify(wrong)} is not one of ${choices.map((choice) => String(choice.value)).join(", ")}`
  const type = schema.type === "number" || schema.type === "integer" ? "number" : "string"
  if (choices.length === 0 && values.some((one) => typeof one !== type)) return `a ${type} is expected`
  return formFaults([{ schema }]).fault?.(0, values.map(String))
}

import type { NativeQuestion } from "../../core/driver-sink.ts"
import { choicesOf } from "./form-choices.ts"
import type { Json } from "./json.ts"

type Limits = Partial<Record<(typeof limits)[number], number>>

const limits = [
  ...(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] as const),
  ...(["minLength", "maxLength", "minItems", "maxItems"] as const),
]

/** What a form asks of its values beside their types. Patterns are the server's own to try: one can take for ever. */
export function formFaults(fields: readonly { schema: Json }[]): Pick<NativeQuestion, "fault"> {
  if (!fields.some(({ schema }) => isLimited(schema))) return {}
  return { fault: (n, given) => faultIn(fields[n]?.schema ?? {}, given) }
}

const isLimited = (schema: Json): boolean => schema.type === "integer" || limits.some((name) => name in schema)

function faultIn(schema: Json, given: readonly string[]): string | undefined {
  // Its choices are given by their titles, and no other answer is.
  if (schema.type !== "array" && choicesOf(schema).length > 0) return undefined
  const is: Limits = Object.fromEntries(
    limits.flatMap((name) => (isNumber(schema[name]) ? [[name, schema[name]]] : [])),
  )
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = is
  if (schema.type === "array")
    return given.length < minItems || given.length > maxItems
      ? `${given.length} answers are given, ${between(minItems, maxItems)} are expected`
      : undefined
  const [value = ""] = given
  if (schema.type === "integer" || schema.type === "number") return faultOfNumber(schema, is, Number(value))
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = is
  const { length } = [...value] // as JSON Schema counts
  return length < minLength || length > maxLength
    ? `it has ${length} characters, ${between(minLength, maxLength)} are expected`
    : undefined
}

function faultOfNumber({ type }: Json, is: Limits, value: number): string | undefined {
  if (type === "integer" && !Number.isInteger(value)) return `${value} is no whole number`
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = is
  if (value < minimum || value > maximum) return `${value} is not ${between(minimum, maximum)}`
  const { exclusiveMinimum, exclusiveMaximum } = is
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
    return `${value} is not more than ${exclusiveMinimum}`
  return exclusiveMaximum !== undefined && value >= exclusiveMaximum
    ? `${value} is not less than ${exclusiveMaximum}`
    : undefined
}

function between(least: number, most: number): string {
  if (!Number.isFinite(most)) return `${least} or more`
  return least <= 0 && !Number.isFinite(least) ? `${most} or less` : `${least} to ${most}`
}

const isNumber = (value: unknown): value is number => typeof value === "number"

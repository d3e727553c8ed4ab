import { nameOf } from "./closure.ts"
import type { Schema, SchemaObject } from "./document.ts"

const LONGEST = 80

/** A schema in a few words, as a reader of a list of changes needs it. */
export function summary(schema: Schema): string {
  const text = fully(schema)
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text
}

/** The same in as many words as it takes, to see whether two read the same. */
export function fully(schema: Schema): string {
  if (schema === true) return "anything"
  if (schema === false) return "nothing"
  if (schema.$ref !== undefined) return nameOf(schema.$ref)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ")
  const variants = variantsOf(schema)
  if (variants.length > 0) return variants.map(fully).join(" | ")
  if (schema.allOf !== undefined) return schema.allOf.map(fully).join(" & ")
  const types = [schema.type ?? (schema.properties ? "object" : [])].flat()
  if (types.length === 0) return "anything"
  return types.map((type) => typeWords(type, schema)).join(" | ")
}

function typeWords(type: string, { items = true, properties = {}, additionalProperties }: SchemaObject): string {
  if (type === "array") return items === true ? "array" : `${bracketed(fully(items))}[]`
  const names = Object.keys(properties)
  if (type !== "object") return type
  if (names.length > 0) return label({ properties }) ?? `{ ${names.join(", ")} }`
  return typeof additionalProperties === "object" ? `map of ${fully(additionalProperties)}` : "object"
}

function bracketed(text: string): string {
  return text.includes(" | ") ? `(${text})` : text
}

export function variantsOf(schema: SchemaObject): Schema[] {
  return [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
}

/** What tells an object of a union from the others: the properties that have one value, `type` first. */
export function label({ properties = {} }: SchemaObject): string | undefined {
  const fixed = Object.entries(properties).flatMap(([name, schema]) =>
    typeof schema === "object" && typeof schema.const === "string" ? [[name, schema.const] as const] : [],
  )
  const names = ["type", "subtype", "method", "command", "role", "kind", "status"]
  const telling = names.flatMap((name) => fixed.filter(([property]) => property === name))
  const chosen = telling.length > 0 ? telling : fixed
  return chosen.length > 0 ? chosen.map(([, value]) => value).join("/") : undefined
}

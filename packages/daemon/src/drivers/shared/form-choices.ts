import { type Json, list, record, text } from "./json.ts"

export interface Choice {
  value: unknown
  label: string
  description?: string
}

/** The values a field can have, with the names they are shown by. */
export function choicesOf(schema: Json): Choice[] {
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

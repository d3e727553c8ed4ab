import { alphabetic, type Schema, type SchemaObject, sorted } from "./document.ts"

/** Words that hold one schema, a list of them, or schemas by name; everything else in a schema is plain data. */
const single = new Set([
  ...["items", "additionalProperties", "not", "contains", "propertyNames", "contentSchema"],
  ...["if", "then", "else", "unevaluatedProperties", "unevaluatedItems"],
])
const listed = new Set(["anyOf", "oneOf", "allOf", "prefixItems"])
const named = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"])

/** Names that only repeat where the schema stands, and words of the generators that made it. */
const noise = new Set(["$schema", "title", "$comment", "$id"])

/** The schemas inside one, with the words that lead to each. */
export function* inside(schema: Schema): Iterable<[path: string[], schema: Schema]> {
  if (typeof schema === "boolean") return
  for (const [word, value] of Object.entries(schema)) {
    if (single.has(word) && isSchema(value)) yield [[word], value]
    if (listed.has(word) && Array.isArray(value))
      for (const [index, entry] of value.entries()) yield [[word, String(index)], entry as Schema]
    if (named.has(word) && value !== null && typeof value === "object")
      for (const [name, entry] of Object.entries(value)) yield [[word, name], entry as Schema]
  }
}

/**
 * One way to write each thing, so that two versions differ only where the agent does: names in order, one value as
 * `const`, a lone `allOf` as what it holds, draft-07 tuples as `prefixItems`, `$ref` as `rename` tells.
 */
export function normalize(schema: Schema, rename: (ref: string) => string): Schema {
  if (typeof schema === "boolean") return schema
  let result: SchemaObject = {}
  for (const [word, value] of Object.entries(schema)) {
    if (noise.has(word)) continue
    if (word === "description") result.description = paragraph(String(value))
    else if (word === "$ref") result.$ref = rename(String(value))
    else if (word === "items" && Array.isArray(value)) result.prefixItems = value.map((each) => normalize(each, rename))
    else if (single.has(word) && isSchema(value)) result[word] = normalize(value, rename)
    else if (listed.has(word)) result[word] = (value as Schema[]).map((entry) => normalize(entry, rename))
    else if (named.has(word)) result[word] = sorted(normalizeAll(value as Record<string, Schema>, rename))
    else if (word === "required") result.required = [...(value as string[])].sort(alphabetic)
    else if (word === "enum" && (value as unknown[]).length === 1) result.const = (value as unknown[])[0]
    else result[word] = value
  }
  if (result.const !== undefined) delete result.type
  if (result.required?.length === 0) delete result.required
  const [only] = result.allOf?.length === 1 ? result.allOf : []
  if (typeof only === "object") {
    const { allOf: _, ...rest } = result
    if (!Object.keys(only).some((word) => word in rest && word !== "description")) result = { ...only, ...rest }
  }
  return inOrder(result)
}

export function normalizeAll(schemas: Record<string, Schema>, rename: (ref: string) => string): Record<string, Schema> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, normalize(schema, rename)]))
}

/** What something is, in its first paragraph; the rest is the agent's manual. */
function paragraph(text: string): string {
  const [first = ""] = text.trim().split(/\n\s*\n/)
  return first.replaceAll(/\s+/g, " ").trim()
}

const order = ["description", "$ref", "type", "const", "enum", "format", "pattern", "default", "properties", "required"]

function inOrder(schema: SchemaObject): SchemaObject {
  const place = (word: string): number => (order.includes(word) ? order.indexOf(word) : order.length)
  const entries = Object.entries(schema).sort(([left], [right]) =>
    place(left) === place(right) ? alphabetic(left, right) : place(left) - place(right),
  )
  return Object.fromEntries(entries)
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "boolean" || (typeof value === "object" && value !== null && !Array.isArray(value))
}

import { nameOf, type Schema } from "./document.ts"
import { code, inline } from "./text.ts"

export interface Field {
  name: string
  schema: Schema
  required: boolean
  description?: string
}
type Schemas = Readonly<Record<string, Schema>>
/** What is worth a mark: of what is asked for what must be there, of what is answered what may be missing. */
export type Marks = "required" | "optional"

/** Fields of an object, those of the parts it is made of included. */
export function fieldsOf(schema: Schema, schemas: Schemas): Field[] {
  const { $ref, allOf = [], properties = {}, required = [] } = schema
  if ($ref !== undefined) return fieldsOf(schemas[nameOf($ref)] ?? {}, schemas)
  return [
    ...allOf.flatMap((part) => fieldsOf(part, schemas)),
    ...Object.entries(properties).map(([name, field]) => ({
      name,
      schema: field,
      required: required.includes(name),
      description: field.description,
    })),
  ]
}

const link = (name: string): string => `<a href="#${name}">${name}</a>`

/** The type of a field in a few words, parts that have a name as links. */
export function typeOf(schema: Schema): string {
  const { $ref, const: fixed, enum: values, items, oneOf, anyOf, allOf, additionalProperties, type } = schema
  if ($ref !== undefined) return link(nameOf($ref))
  if (fixed !== undefined) return code(JSON.stringify(fixed))
  if (values !== undefined) return values.map((value) => code(JSON.stringify(value))).join(" | ")
  const parts = oneOf ?? anyOf ?? allOf
  if (parts !== undefined) return [...new Set(parts.map(typeOf))].join(" | ")
  if (items !== undefined) return `list of ${typeOf(items)}`
  if (typeof additionalProperties === "object") return `map to ${typeOf(additionalProperties)}`
  if (type === undefined) return "any JSON"
  return [type].flat().join(" | ")
}

/** Text that goes to a program: all but NUL. */
const anyText = "^[^\\0]*$"

/** What a value must keep to, in words. */
function boundsOf({ minimum, maximum, maxLength, pattern, default: usual, anyOf = [] }: Schema): string {
  const [first] = anyOf
  if (first !== undefined && minimum === undefined && maximum === undefined) return boundsOf(first)
  const words = [
    minimum === undefined ? "" : `from ${minimum.toLocaleString("en")}`,
    maximum === undefined ? "" : `to ${maximum.toLocaleString("en")}`,
    maxLength === undefined ? "" : `up to ${maxLength.toLocaleString("en")} characters`,
    pattern === undefined || pattern === anyText ? "" : `like ${code(pattern)}`,
    usual === undefined ? "" : `default ${code(JSON.stringify(usual))}`,
  ]
  return words.filter((word) => word !== "").join(" ")
}

/** The values of a named list that is short enough to be told where it is used. */
function valuesOf({ $ref, allOf = [] }: Schema, schemas: Schemas): string {
  const named = schemas[nameOf($ref ?? allOf[0]?.$ref ?? "")]
  const values = named?.enum ?? []
  return values.length > 8 ? "" : values.map((value) => code(JSON.stringify(value))).join(" ")
}

/** The parts of a field that are worth a fold: objects inside it that have no name. */
function inner(schema: Schema): Schema | undefined {
  if (schema.properties !== undefined) return schema
  return schema.items?.properties === undefined ? undefined : schema.items
}

function rowOf({ name, schema, required, description = "" }: Field, schemas: Schemas, marks: Marks): string {
  const bounds = boundsOf(schema) || valuesOf(schema, schemas)
  const nested = inner(schema)
  const fold =
    nested === undefined
      ? ""
      : `<details><summary>fields</summary>${tableOf(fieldsOf(nested, schemas), schemas, marks)}</details>`
  const mark =
    marks === "required"
      ? required && '<span class="req">required</span>'
      : !required && '<span class="opt">optional</span>'
  return `<tr><td>${code(name)}${mark || ""}</td><td>${typeOf(schema)}${
    bounds === "" ? "" : `<small>${bounds}</small>`
  }</td><td>${inline(description)}${fold}</td></tr>`
}

/** A row for each field: name, type, meaning. */
export function tableOf(fields: readonly Field[], schemas: Schemas, marks: Marks): string {
  if (fields.length === 0) return ""
  const rows = fields.map((field) => rowOf(field, schemas, marks)).join("")
  return `<table class="fields"><thead><tr><th>field</th><th>type</th><th>meaning</th></tr></thead><tbody>${rows}</tbody></table>`
}

/** A schema as far as a reader wants it: its fields, its choices, or its values. */
export function shapeOf(schema: Schema, schemas: Schemas, marks: Marks): string {
  const { oneOf, anyOf, enum: values, $ref } = schema
  if ($ref !== undefined) {
    const named = schemas[nameOf($ref)] ?? {}
    const table = shapeOf(named, schemas, marks)
    return `<p>${link(nameOf($ref))}${named.description === undefined ? "" : `: ${inline(named.description)}`}</p>${table}`
  }
  const choices = oneOf ?? anyOf
  if (choices !== undefined) return `<p>One of ${choices.map(typeOf).join(", ")}.</p>`
  if (values !== undefined) return `<p>${values.map((value) => code(JSON.stringify(value))).join(" | ")}</p>`
  if (schema.items !== undefined) return `<p>${typeOf(schema)}</p>`
  return tableOf(fieldsOf(schema, schemas), schemas, marks)
}

import { type Flag, type FlagType, kebabCase } from "./flag.ts"

/** The part of JSON Schema that decides how a value is written on a command line. */
export interface JsonSchema {
  readonly type?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly pattern?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly additionalProperties?: JsonSchema | boolean
}

export function flagTypeOf(schema: JsonSchema): FlagType {
  if (schema.type === "boolean") return "boolean"
  if (schema.type === "integer" || schema.type === "number") return "number"
  if (schema.type === "string") return "string"
  const values = schema.additionalProperties
  if (schema.type === "object" && typeof values === "object" && values.type === "string") return "pairs"
  return "json"
}

const placeholders: Record<FlagType, string> = {
  boolean: "",
  string: "TEXT",
  number: "N",
  list: "TEXT",
  json: "JSON",
  pairs: "NAME=VALUE",
}

export const enumOf = (schema: JsonSchema): readonly string[] | undefined =>
  schema.enum?.filter((value) => typeof value === "string")

/** A flag for one field of a body or a query. */
export function schemaFlag(field: string, schema: JsonSchema): Flag {
  const type = flagTypeOf(schema)
  return {
    name: kebabCase(field),
    type,
    help: schema.description ?? "",
    placeholder: placeholders[type],
    values: enumOf(schema),
  }
}

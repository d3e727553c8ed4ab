import { z } from "zod"
import { type Flag, type FlagType, kebabCase } from "./flag.ts"

/** The part of JSON Schema that decides how a value is written on a command line. */
export interface JsonSchema {
  readonly type?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly pattern?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly additionalProperties?: JsonSchema | boolean
}

/** The same, with fields that may also be null. */
interface WholeSchema extends Omit<JsonSchema, "type" | "properties"> {
  readonly type?: string | readonly string[]
  readonly anyOf?: readonly WholeSchema[]
  readonly properties?: Readonly<Record<string, WholeSchema>>
}

export const jsonSchemaOf = (schema: z.ZodType): JsonSchema =>
  givable(z.toJSONSchema(schema, { unrepresentable: "any" }) as WholeSchema)

/** Nobody writes `null` on a command line: of a field that may also be null the other kind counts. */
function givable({ anyOf, properties, type, ...rest }: WholeSchema): JsonSchema {
  const [kind, ...others] = anyOf?.filter((one) => one.type !== "null") ?? []
  const plain = typeof type === "string" ? type : type?.find((one) => one !== "null")
  const fields = properties && Object.entries(properties).map(([name, field]) => [name, givable(field)])
  return {
    ...rest,
    ...(plain === undefined ? {} : { type: plain }),
    ...(kind !== undefined && others.length === 0 ? givable(kind) : {}),
    ...(fields && { properties: Object.fromEntries(fields) }),
  }
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

import { z } from "zod"
import type { JsonSchema } from "./schema-flag.ts"

/** The same, with fields that may also be null, and parts that have a name where a document was made in this process. */
interface WholeSchema extends Omit<JsonSchema, "type" | "properties"> {
  readonly type?: string | readonly string[]
  readonly $ref?: string
  readonly $defs?: Definitions
  readonly anyOf?: readonly WholeSchema[]
  readonly oneOf?: readonly WholeSchema[]
  readonly properties?: Readonly<Record<string, WholeSchema>>
}

type Definitions = Readonly<Record<string, WholeSchema>>

export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  const { $defs = {}, ...whole } = z.toJSONSchema(schema, { unrepresentable: "any" }) as WholeSchema
  return givable(whole, $defs)
}

/** Nobody writes `null` on a command line: of a field that may also be null the other kind counts. */
function givable(schema: WholeSchema, named: Definitions): JsonSchema {
  const { $ref, anyOf, oneOf, properties, type, items, ...rest } = schema
  if (oneOf !== undefined) return merged(oneOf.map((kind) => givable(kind, named)))
  const definition = $ref === undefined ? undefined : named[$ref.replace("#/$defs/", "")]
  const [kind, ...others] = anyOf?.filter((one) => one.type !== "null") ?? []
  const plain = typeof type === "string" ? type : type?.find((one) => one !== "null")
  const fields = properties && Object.entries(properties).map(([name, field]) => [name, givable(field, named)])
  return {
    ...(definition && givable(definition, named)),
    ...(kind !== undefined && others.length === 0 ? givable(kind, named) : {}),
    ...rest,
    ...(plain === undefined ? {} : { type: plain }),
    ...(items && { items: givable(items, named) }),
    ...(fields && { properties: Object.fromEntries(fields) }),
  }
}

/** Of bodies of several kinds: every field of any, and what all of them need. What tells the kinds apart has a few values. */
function merged(kinds: readonly JsonSchema[]): JsonSchema {
  const fields = kinds.flatMap(({ properties }) => Object.entries(properties ?? {}))
  const properties: Record<string, JsonSchema> = {}
  for (const [name, field] of fields) {
    const values = fields.flatMap(([other, { const: value }]) => (other === name && value !== undefined ? [value] : []))
    properties[name] ??= values.length > 0 ? { ...field, enum: values } : field
  }
  const required = kinds[0]?.required?.filter((name) => kinds.every((kind) => kind.required?.includes(name)))
  return { type: "object", properties, ...(required && { required }) }
}

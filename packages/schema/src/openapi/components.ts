import { z } from "zod"
import { names } from "./names.ts"

export type Json = { [name: string]: unknown }

type Direction = "input" | "output"

const PLACE = "#/components/schemas/"
export const refTo = (name: string): Json => ({ $ref: `${PLACE}${name}` })

/** The named parts of a document. Whatever is made of a Zod schema leaves its named parts here and refers to them. */
export class Components {
  readonly schemas: Record<string, Json> = {}

  constructor() {
    // Names are given when a document is made: a daemon that only serves needs none.
    for (const [id, schema] of Object.entries(names))
      z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), id })
  }

  /** JSON Schema of a Zod schema; of one that has a name, the reference to it. */
  of(schema: z.ZodType, io: Direction): Json {
    const made = z.toJSONSchema(schema, { io, unrepresentable: "any" }) as Json & { $defs?: Record<string, Json> }
    const { $schema: _, $defs = {}, ...shape } = made
    for (const [name, definition] of Object.entries($defs)) this.#keep(name, definition, io)
    const { id } = shape
    if (typeof id !== "string") return tidy(shape, io) as Json
    this.#keep(id, shape, io)
    return refTo(id)
  }

  /** A part that is no Zod schema. */
  add(name: string, schema: Json): Json {
    this.schemas[name] = schema
    return refTo(name)
  }

  #keep(name: string, { id: _, ...definition }: Json, io: Direction): void {
    const known = this.schemas[name]
    const shape = tidy(definition, io) as Json
    if (known !== undefined && !Bun.deepEquals(known, shape)) throw new Error(`two shapes are named ${name}`)
    this.schemas[name] = shape
  }
}

/** What JSON Schema has no need to say is left out; what is said is told with the words of OpenAPI. */
function tidy(value: unknown, io: Direction): unknown {
  if (Array.isArray(value)) return value.map((inner) => tidy(inner, io))
  if (typeof value !== "object" || value === null) return value
  const shape = value as Json
  const entries = Object.entries(shape).filter(([key, inner]) => !isNoise(key, inner, shape, io))
  return Object.fromEntries(
    entries.map(([key, inner]) =>
      key === "$ref" && typeof inner === "string" ? [key, inner.replace("#/$defs/", PLACE)] : [key, tidy(inner, io)],
    ),
  )
}

function isNoise(key: string, value: unknown, { properties, type }: Json, io: Direction): boolean {
  // A newer version may answer with more than is told here; bodies of requests really take nothing else.
  if (key === "additionalProperties" && properties !== undefined)
    return value === false ? io === "output" : Bun.deepEquals(value, {})
  if (key === "propertyNames") return Bun.deepEquals(value, { type: "string" })
  return type === "integer" && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER
}

import { expect, test } from "vitest"
import { sources } from "../../../../scripts/schemas/agents.ts"
import { compare } from "../../../../scripts/schemas/compare.ts"
import { readDocument, recordedPath, type Schema, type SchemaObject } from "../../../../scripts/schemas/document.ts"
import { inside } from "../../../../scripts/schemas/normalize.ts"

const both = { us: true, agent: true }

/** Changes a version could bring, made to a schema in place; each says how to take it back. */
function* mutations(schema: SchemaObject): Iterable<[what: string, undo: () => void]> {
  for (const [name, value] of Object.entries(schema.properties ?? {})) {
    const properties = schema.properties as Record<string, Schema>
    delete properties[name]
    yield [`.${name} gone`, () => Object.assign(properties, { [name]: value })]
    properties[name] = { type: "boolean", description: "another type" }
    const same = typeof value === "object" && value.type === "boolean"
    if (!same) yield [`.${name} another type`, () => Object.assign(properties, { [name]: value })]
    properties[name] = value
  }
  for (const word of ["enum", "anyOf", "oneOf"] as const) {
    const list = schema[word] as unknown[] | undefined
    const last = list?.pop()
    if (list === undefined) continue
    yield [`the last of ${word} gone`, () => void list.push(last)]
  }
  const { required } = schema
  if (required) {
    const last = required.pop() as string
    yield [`.${last} no longer required`, () => void required.push(last)]
  }
}

function* deep(schema: Schema): Iterable<SchemaObject> {
  if (typeof schema === "boolean") return
  yield schema
  for (const [, inner] of inside(schema)) yield* deep(inner)
}

test.each(Object.keys(sources))("%s: no property, value, variant or type changes unseen", (agent) => {
  const { $defs } = readDocument(recordedPath(agent))
  const unseen: string[] = []
  let tried = 0
  for (const [name, definition] of Object.entries($defs)) {
    const before = structuredClone(definition)
    for (const schema of deep(definition)) {
      for (const [what, undo] of mutations(schema)) {
        tried++
        if (compare(before, definition, both).length === 0) unseen.push(`${name}: ${what}`)
        undo()
      }
    }
    // In another order, which is no change either.
    expect(compare(before, definition, both), name).toEqual([])
  }
  expect(unseen).toEqual([])
  expect(tried).toBeGreaterThan(50)
})

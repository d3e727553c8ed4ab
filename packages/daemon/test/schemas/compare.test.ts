import { expect, test } from "vitest"
import { compare, type Writers } from "../../../../scripts/schemas/compare.ts"
import type { Schema, SchemaObject } from "../../../../scripts/schemas/document.ts"

const us: Writers = { us: true, agent: false }
const agent: Writers = { us: false, agent: true }

const lines = (before: Schema, after: Schema, writers: Writers): string[] =>
  compare(before, after, writers).map(({ path, what, level }) => `${level}: ${path} ${what}`)

const object = (properties: Record<string, Schema>, required: string[] = []): SchemaObject => ({
  type: "object",
  properties,
  required,
})
const text: Schema = { type: "string" }

test("the same is no change, and neither are words about it", () => {
  expect(lines(object({ a: text }), object({ a: { ...text, description: "new", minLength: 1 } }), us)).toEqual([])
  expect(lines({ $ref: "#/$defs/A" }, { $ref: "#/$defs/A", description: "new" }, us)).toEqual([])
})

test.each<[string, Schema, Schema, ofUs: string[], ofAgent: string[]]>([
  [
    "a property removed",
    object({ a: text, b: text }),
    object({ a: text }),
    ["breaking: .b removed (was string)"],
    ["breaking: .b removed (was string)"],
  ],
  [
    "a property added",
    object({}),
    object({ a: { type: ["string", "null"] } }),
    ["added: .a added (string | null)"],
    ["added: .a added (string | null)"],
  ],
  [
    "a required property added",
    object({}),
    object({ a: text }, ["a"]),
    ["breaking: .a added, required (string)"],
    ["added: .a added, required (string)"],
  ],
  [
    "now required",
    object({ a: text }),
    object({ a: text }, ["a"]),
    ["breaking: .a now required"],
    ["changed: .a now required"],
  ],
  [
    "no longer required",
    object({ a: text }, ["a"]),
    object({ a: text }),
    ["changed: .a no longer required"],
    ["breaking: .a no longer required"],
  ],
  [
    "another type, deep inside",
    object({ a: { type: "array", items: object({ n: { type: "integer" } }) } }),
    object({ a: { type: "array", items: object({ n: text }) } }),
    ["breaking: .a[].n was integer, is string"],
    ["breaking: .a[].n was integer, is string"],
  ],
  [
    "may be null now",
    object({ a: text }),
    object({ a: { type: ["string", "null"] } }),
    ["added: .a null added"],
    ["changed: .a null added"],
  ],
  [
    "no longer null",
    object({ a: { anyOf: [text, { type: "null" }] } }),
    object({ a: text }),
    ["breaking: .a null removed"],
    ["changed: .a null removed"],
  ],
  [
    "values",
    { enum: ["a", "b"] },
    { enum: ["b", "c"] },
    ['breaking:  value "a" removed', 'added:  value "c" added'],
    ['changed:  value "a" removed', 'changed:  value "c" added'],
  ],
  [
    "one value for another",
    { const: "a" },
    { const: "b" },
    ['breaking:  was "a", is "b"'],
    ['breaking:  was "a", is "b"'],
  ],
  [
    "a map of something else",
    { type: "object", additionalProperties: text },
    { type: "object", additionalProperties: { type: "number" } },
    ["breaking: {} was string, is number"],
    ["breaking: {} was string, is number"],
  ],
  [
    "another definition",
    object({ a: { $ref: "#/$defs/A" } }),
    object({ a: { $ref: "#/$defs/B" } }),
    ["breaking: .a was A, is B"],
    ["breaking: .a was A, is B"],
  ],
])("%s", (_, before, after, ofUs, ofAgent) => {
  expect(lines(before, after, us)).toEqual(ofUs)
  expect(lines(before, after, agent)).toEqual(ofAgent)
})

test("variants of a union are told by what they say they are, in any order", () => {
  const item = (type: string, properties: Record<string, Schema>): Schema =>
    object({ type: { const: type }, ...properties })
  const before = { oneOf: [item("command", { exit: text }), item("gone", {}), item("file", {})] }
  const after = { oneOf: [item("file", {}), item("fresh", {}), item("command", {})] }
  expect(lines(before, after, agent)).toEqual([
    "breaking: <command>.exit removed (was string)",
    "breaking:  gone removed",
    "changed:  fresh added",
  ])
})

test("an object that became one of several", () => {
  const kind = (type: string): Schema => object({ type: { const: type }, a: text })
  expect(lines(object({ a: text }), { anyOf: [kind("x"), kind("y")] }, agent)).toEqual([
    "breaking:  object removed",
    "changed:  x added",
    "changed:  y added",
  ])
})

test("properties beside a union are compared too", () => {
  const before = { oneOf: [text, { type: "null" }], properties: { at: text } }
  expect(lines(before, { ...before, properties: {} }, agent)).toEqual(["breaking: .at removed (was string)"])
})

import fc from "fast-check"
import { expect, test } from "vitest"
import { formatJson } from "../../../../scripts/schemas/format-json.ts"
import { normalize } from "../../../../scripts/schemas/normalize.ts"

test("formatted JSON says the same and is never wider than its longest single value", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const text = formatJson(value)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      const wide = text.split("\n").filter((line) => line.length > 120)
      // Only a line that cannot be broken: a name with one value.
      expect(wide.filter((line) => /[{[].*[}\]],?$/.test(line.replaceAll(/"(\\.|[^"\\])*"/g, '""')))).toEqual([])
    }),
  )
})

test("what fits a line is on one line, the rest one entry a line", () => {
  const long = "x".repeat(105)
  expect(formatJson({ a: { b: [1, 2] }, c: [long, { d: true }] })).toBe(
    `{\n  "a": { "b": [1, 2] },\n  "c": [\n    "${long}",\n    { "d": true }\n  ]\n}\n`,
  )
})

test("one way to write each thing", () => {
  const written = {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Thing",
    required: ["b", "a"],
    properties: {
      b: { enum: ["only"], type: "string" },
      a: { allOf: [{ $ref: "#/definitions/Other" }], description: "First.\n on two lines\n\nSecond paragraph." },
      pair: { type: "array", items: [{ type: "string" }, { type: "number" }] },
    },
    type: "object",
  } as const
  const same = normalize(structuredClone(written) as never, (ref) => ref.replace("definitions", "$defs"))
  expect(JSON.stringify(same)).toBe(
    JSON.stringify({
      type: "object",
      properties: {
        a: { description: "First. on two lines", $ref: "#/$defs/Other" },
        b: { const: "only" },
        pair: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }] },
      },
      required: ["a", "b"],
    }),
  )
})

test("a property called like a word of the language is left alone", () => {
  const schema = { type: "object", properties: { title: { type: "string" }, required: { type: "boolean" } } }
  expect(normalize(schema, (ref) => ref)).toEqual({
    type: "object",
    properties: { required: { type: "boolean" }, title: { type: "string" } },
  })
})

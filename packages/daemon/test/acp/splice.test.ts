import fc from "fast-check"
import { expect, test } from "vitest"
import { splice } from "../../src/faces/acp/splice.ts"

test("every byte but those of the values stays as it was", () => {
  const line =
    ' {"id" : 0 ,"n":1.0,"big":12345678901234567890,"é":"\\u00e9","params":{ "x":[{"sessionId":"no"}],"sessionId":"a\\"b"} } '
  expect(
    splice(line, [
      [["params", "sessionId"], "ours"],
      [["id"], "perm_1"],
    ]),
  ).toBe(line.replace('"a\\"b"', '"ours"').replace('"id" : 0', '"id" : "perm_1"'))
})

test("a path that is not there changes nothing; of two members with one name the last is meant", () => {
  expect(
    splice('{"params":[1]}', [
      [["params", "sessionId"], "x"],
      [["id"], 1],
    ]),
  ).toBe('{"params":[1]}')
  expect(splice('{"a":1,"a":{"b":[]}}', [[["a"], 2]])).toBe('{"a":1,"a":2}')
  expect(splice("[1]", [[["0"], 2]])).toBe("[1]")
})

test("whatever the message is, it is the same with other ids", () => {
  const json = fc.jsonValue({ maxDepth: 4 })
  const message = fc.record({ jsonrpc: fc.constant("2.0"), params: fc.dictionary(fc.string(), json), id: json })
  fc.assert(
    fc.property(message, fc.string(), fc.nat(4), (given, ours, indent) => {
      const whole = { ...given, params: { ...given.params, sessionId: "native" } }
      const text = JSON.stringify(whole, null, " \t\n\r".slice(0, indent))
      const spliced = splice(text, [
        [["params", "sessionId"], ours],
        [["id"], ours],
      ])
      expect(JSON.parse(spliced)).toEqual(
        JSON.parse(JSON.stringify({ ...whole, id: ours, params: { ...whole.params, sessionId: ours } })),
      )
    }),
  )
})

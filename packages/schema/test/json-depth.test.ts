import { describe, expect, test } from "vitest"
import { isDeeperThan, parseBounded } from "../src/json-depth.ts"
import { jsonHead } from "../src/json-head.ts"

const nested = (depth: number, open = "[", close = "]") => open.repeat(depth) + close.repeat(depth)

describe("depth of JSON text", () => {
  test("is counted in arrays and objects, at the limit and beyond it", () => {
    for (const [open, close] of [
      ["[", "]"],
      ['{"a":', "}"],
    ] as const) {
      const text = (depth: number) => `${open.repeat(depth)}1${close.repeat(depth)}`
      expect([isDeeperThan(text(8), 8), isDeeperThan(text(9), 8)]).toEqual([false, true])
    }
    expect(isDeeperThan(`[${Array(1_000).fill("[]").join(",")}]`, 8)).toBe(false)
  })

  test("what stands in strings is no depth, whatever is escaped in them", () => {
    for (const said of [nested(100), `"${nested(100)}`, `\\"${nested(100)}\\`, `\\\\"`])
      expect(isDeeperThan(JSON.stringify([[said], [said]]), 8)).toBe(false)
    expect(isDeeperThan(`["\\\\",${nested(9)}]`, 8)).toBe(true)
    expect(isDeeperThan(`["${"x".repeat(100)}`, 8)).toBe(false)
  })

  test("too deep a text is refused as one that is no JSON", () => {
    expect(() => parseBounded(nested(1_000_000), 8)).toThrow(SyntaxError)
    expect(parseBounded(nested(4), 8)).toEqual([[[[]]]])
  })
})

describe("the head of an object", () => {
  const head = (text: string) => Object.fromEntries(jsonHead(text))

  test("is what can be read of it", () => {
    const whole = { jsonrpc: "2.0", id: 7, method: "m", params: { id: 8, a: ["}", '"'] }, last: null, yes: true }
    expect(head(JSON.stringify(whole))).toEqual({ ...whole, params: undefined })
    expect(head(JSON.stringify(whole, null, 2))).toEqual({ ...whole, params: undefined })
  })

  test("a value that is cut off is left out, an object that is cut off is there", () => {
    expect(head('{"id":"a","text":"xxxx')).toEqual({ id: "a" })
    expect(head('{"id":12')).toEqual({})
    expect(head('{"id":12,"params":{"id":3,"x":"')).toEqual({ id: 12, params: undefined })
    expect([...jsonHead('{"id":12,"params":[[[').keys()]).toEqual(["id", "params"])
  })

  test("of what is no object there is none", () => {
    for (const text of ["", "[1]", "hello", "{", '{"a', '{"a" 1}', "{a:1}", "null"]) expect(head(text)).toEqual({})
  })
})

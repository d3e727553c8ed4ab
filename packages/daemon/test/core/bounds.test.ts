import { splitAtBytes } from "@sandbox-agent/schema/byte-length"
import { limits } from "@sandbox-agent/schema/limits"
import fc from "fast-check"
import { expect, test } from "vitest"
import { boundData, boundPart, cutMiddle, cutMiddleBytes } from "../../src/core/bounds.ts"

test("a cut text keeps both ends and says what is missing", () => {
  const cut = cutMiddle(`${"a".repeat(100)}${"b".repeat(900)}`, 100)
  expect(cut).toBe(`${"a".repeat(50)}\n… 900 of 1000 characters cut …\n${"b".repeat(50)}`)
  expect(cutMiddle("short", 5)).toBe("short")
})

test("no cut leaves half a character", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), fc.nat(60), (text, at) => {
      const [head, tail] = splitAtBytes(text, at)
      expect(head + tail).toBe(text)
      expect(Buffer.byteLength(head)).toBeLessThanOrEqual(at)
      // Not one character less than fits.
      const [next = ""] = tail
      if (text.isWellFormed() && next !== "") expect(Buffer.byteLength(head + next)).toBeGreaterThan(at)
      if (text.isWellFormed()) expect([head.isWellFormed(), tail.isWellFormed()]).toEqual([true, true])
      for (const cut of [cutMiddle(text, at), cutMiddleBytes(text, at)])
        expect(cut.isWellFormed()).toBe(cut !== text || text.isWellFormed())
    }),
  )
})

test("a payload that fits is passed on as it is", () => {
  const data = { message: "x".repeat(limits.eventBytes / 2) }
  expect(boundData(data)).toBe(data)
})

test("a payload that does not fit keeps its shape: texts are cut, lists shortened", () => {
  const long = "x".repeat(limits.eventBytes)
  const entries = Array.from({ length: 5_000 }, (_, i) => ({ content: `${i} ${"y".repeat(1_000)}`, status: "pending" }))
  const bound = boundData({ message: long, code: "boom", entries, error: { code: "c", message: long } })
  expect(JSON.stringify(bound).length).toBeLessThan(limits.eventBytes)
  expect(bound.code).toBe("boom")
  expect(bound.message).toContain("characters cut")
  expect(bound.error).toMatchObject({ code: "c", message: expect.stringContaining("characters cut") })
  expect(bound.entries.length).toBeGreaterThan(100)
  expect(bound.entries).toEqual(entries.slice(0, bound.entries.length))
})

test("an object with no end of small fields becomes a note", () => {
  const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`key ${i}`, i]))
  expect(boundData({ message: "kept", details: many })).toMatchObject({ message: "kept", details: { truncated: true } })
})

test("nested lists stay bounded, however they are nested", () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 4, stringUnit: "grapheme" }),
      fc.integer({ min: 5_000, max: 20_000 }),
      (value, limit) => {
        const data = { value, more: Array.from({ length: 50 }, () => ({ value, text: "t".repeat(3_000) })) }
        expect(Buffer.byteLength(JSON.stringify(boundData(data, limit)))).toBeLessThanOrEqual(limit)
      },
    ),
    { numRuns: 50 },
  )
})

test("texts of a part pass: they are bounded where they grow", () => {
  const text = "x".repeat(limits.toolOutputBytes + 1)
  expect(boundPart({ type: "text", text })).toEqual({ type: "text", text })
})

import { limits } from "@sandbox-agent/schema/limits"
import fc from "fast-check"
import { expect, test } from "vitest"
import { LineSplitter } from "../../src/supervisor/lines.ts"

type Split = string | { head: string; bytes: number }

function split(chunks: Uint8Array[], maxBytes?: number, headBytes?: number): Split[] {
  const reported: Split[] = []
  const taker = {
    onLine: (line: string) => reported.push(line),
    onOversize: (head: string, bytes: number) => reported.push({ head, bytes }),
  }
  const splitter = new LineSplitter(taker, maxBytes, headBytes)
  for (const chunk of chunks) splitter.push(chunk)
  splitter.end()
  return reported
}

function cut(bytes: Buffer, points: number[]): Buffer[] {
  const places = [...points.map((point) => point % (bytes.length + 1)), 0, bytes.length].sort((a, b) => a - b)
  return places.slice(1).map((place, index) => Buffer.from(bytes.subarray(places[index], place)))
}

/** The longest beginning of whole characters that fits. */
function headOf(line: string, most: number): string {
  let head = ""
  for (const character of line) {
    if (Buffer.byteLength(head + character) > most) break
    head += character
  }
  return head
}

const anyLine = fc.oneof(
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.string({ unit: "grapheme", maxLength: 30 }),
  fc.constantFrom("", "\uFEFF{}", "🎉", "é\r", "\r"),
)
const line = anyLine.map((text) => text.replaceAll("\n", ""))
const points = fc.array(fc.nat(), { maxLength: 40 })

test("any lines in any chunks come back as they were, CRLF or not", () => {
  fc.assert(
    fc.property(fc.array(line, { minLength: 1 }), points, fc.constantFrom("\n", "\r\n"), (lines, where, end) => {
      const bytes = Buffer.from(lines.map((text) => text + end).join(""))
      const expected = lines.map((text) => (end === "\n" ? text.replace(/\r$/, "") : text))
      expect(split(cut(bytes, where))).toEqual(expected)
    }),
    { numRuns: 1_000 },
  )
})

test("lines over the bound are passed over, with head and size, and the others come unharmed", () => {
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1 }),
      points,
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 40 }),
      (lines, where, maxBytes, head) => {
        const headBytes = Math.min(head, maxBytes)
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(""))
        const expected = lines.map((text) => {
          const size = Buffer.byteLength(text)
          return size <= maxBytes ? text.replace(/\r$/, "") : { head: headOf(text, headBytes), bytes: size }
        })
        expect(split(cut(bytes, where), maxBytes, headBytes)).toEqual(expected)
      },
    ),
    { numRuns: 1_000 },
  )
})

test("the last line needs no newline", () => {
  expect(split([Buffer.from("one\ntw"), Buffer.from("o")])).toEqual(["one", "two"])
  expect(split([Buffer.from("one\n")])).toEqual(["one"])
  expect(split([Buffer.from("123456")], 5, 3)).toEqual([{ head: "123", bytes: 6 }])
})

test("bytes that are not UTF-8 are replaced and harm no other line", () => {
  const bytes = Buffer.concat([Buffer.from("a\n"), Buffer.from([0xff, 0xfe, 0x0a]), Buffer.from("b\n")])
  expect(split([bytes])).toEqual(["a", "\uFFFD\uFFFD", "b"])
})

test("a line of agentLineBytes passes, one byte more does not", () => {
  const chunk = Buffer.alloc(1024 * 1024, "x")
  const full = Array.from({ length: limits.agentLineBytes / chunk.length }, () => chunk)
  const [passed, ...none] = split([...full, Buffer.from("\nnext\n")])
  expect([String(passed).length, none]).toEqual([limits.agentLineBytes, ["next"]])
  const over = split([...full, Buffer.from("x\nnext\n")])
  expect(over).toEqual([{ head: "x".repeat(limits.unparsedLineBytes), bytes: limits.agentLineBytes + 1 }, "next"])
})

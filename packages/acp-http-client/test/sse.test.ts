import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { type ServerEvent, SseParser } from "../src/sse.ts"

const limit = 1000
const bytes = (text: string) => new TextEncoder().encode(text)

function parse(chunks: Uint8Array[], parser = new SseParser(limit)): ServerEvent[] {
  return chunks.flatMap((chunk) => parser.push(chunk))
}

/** The rules of the format once more, on the whole text at once and with no thought for speed. */
function slowly(text: string): ServerEvent[] {
  const events: ServerEvent[] = []
  let data: string[] = []
  let id: string | undefined
  let event: string | undefined
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/)
  for (const line of lines.slice(0, -1)) {
    const [, field = "", value = ""] = /^([^:]*)(?:: ?)?([\s\S]*)$/.exec(line) ?? []
    if (line === "") {
      if (data.length > 0 || id !== undefined) events.push({ id, event, data: data.join("\n") })
      data = []
      id = undefined
      event = undefined
    } else if (line.startsWith(":")) continue
    else if (field === "data") data.push(value)
    else if (field === "id" && !value.includes("\0")) id = value
    else if (field === "event") event = value
  }
  return events
}

describe("event streams", () => {
  test.each([
    ["LF", "data: a\n\ndata: b\n\n"],
    ["CR", "data: a\r\rdata: b\r\r"],
    ["CRLF", "data: a\r\n\r\ndata: b\r\n\r\n"],
    ["mixed", "data: a\r\n\ndata: b\r\r\n"],
    ["a byte order mark", "\uFEFFdata: a\n\ndata: b\n\n"],
    ["no blank after the colon", "data:a\n\ndata:b\n\n"],
  ])("%s", (_, text) => {
    expect(parse([bytes(text)]).map((event) => event.data)).toEqual(["a", "b"])
  })

  test("several data lines are one text, ids and names belong to their event alone", () => {
    expect(parse([bytes("id: 7\nevent: x\ndata: a\ndata:\ndata:  b\n\ndata: c\n\n")])).toEqual([
      { id: "7", event: "x", data: "a\n\n b" },
      { id: undefined, event: undefined, data: "c" },
    ])
  })

  test("an id without data moves on, an id with NUL does not count", () => {
    expect(parse([bytes("id: 8\n\nid: a\0b\ndata: c\n\n")])).toEqual([
      { id: "8", event: undefined, data: "" },
      { id: undefined, event: undefined, data: "c" },
    ])
  })

  test("comments are counted, retry is read, what is not known is passed over", () => {
    const parser = new SseParser(limit)
    expect(parse([bytes(": hi\n:\nretry: 3000\nretry: x\nnonsense\nfoo: bar\n\n")], parser)).toEqual([])
    expect([parser.comments, parser.retryMs]).toEqual([2, 3000])
  })

  test("an event that did not end does not come", () => {
    expect(parse([bytes("data: a\n")])).toEqual([])
  })

  test("what is too large is refused: one line, many lines, a line without end", () => {
    expect(() => parse([bytes(`data: ${"x".repeat(limit + 1)}\n\n`)])).toThrow(/larger/)
    expect(() => parse([bytes("data: 12345678\n".repeat(200))])).toThrow(/larger/)
    const parser = new SseParser(limit)
    expect(() => {
      for (let at = 0; at < limit; at++) parser.push(bytes("xx"))
    }).toThrow(expect.objectContaining({ kind: "too_large" }))
    expect(parse([bytes(`data: ${"x".repeat(limit - 6)}\n\n`)])).toHaveLength(1)
  })

  test("what is too large is told and passed over, where somebody wants to know", () => {
    const reported: [string, number][] = []
    const sizeOf = (text: string) => bytes(text).length
    const parser = new SseParser(20, { sizeOf, onTooLarge: (head, size) => reported.push([head.slice(0, 8), size]) })
    const text = `data: a\n\nid: 1\ndata: ${"語".repeat(7)}\n\ndata: 12345\ndata: 67890\n\nid: 2\ndata: b\n\n`
    for (const step of [1, 5, 1000]) {
      const all = bytes(text)
      const chunks = Array.from({ length: Math.ceil(all.length / step) }, (_, i) => all.slice(i * step, (i + 1) * step))
      expect(parse(chunks, parser)).toEqual([
        { id: undefined, event: undefined, data: "a" },
        { id: "2", event: undefined, data: "b" },
      ])
      // Three bytes for each of its characters; two lines that are too much together.
      expect(reported.splice(0)).toEqual([
        ["data: 語語", 27],
        ["12345\nda", 22],
      ])
    }
  })

  test("any text, cut anywhere, reads the same", () => {
    const line = fc.oneof(
      fc.constantFrom(
        "data: a",
        "data",
        "data:",
        "id: 1",
        "id",
        "event: e",
        "",
        "",
        ": c",
        "retry: 5",
        "data: ünïcödé 🙂",
      ),
      fc.string({ maxLength: 12 }),
    )
    const text = fc.array(fc.tuple(line, fc.constantFrom("\n", "\r", "\r\n")), { maxLength: 40 })
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { maxLength: 20 }), fc.boolean(), (lines, cuts, mark) => {
        const whole = (mark ? "\uFEFF" : "") + lines.map(([words, end]) => words + end).join("")
        const all = bytes(whole)
        const at = [0, ...cuts.map((cut) => cut % (all.length + 1)).sort((a, b) => a - b), all.length]
        const chunks = at.slice(1).map((end, index) => all.slice(at[index], end))
        expect(parse(chunks)).toEqual(slowly(whole))
      }),
      { numRuns: 2000 },
    )
  })
})

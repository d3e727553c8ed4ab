import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { type SseFrame, SseParser, sseFrames } from "../../src/cli/sse.ts"

const all = (text: string): SseFrame[] => new SseParser().push(text)

/** Frames of a stream cut into chunks of bytes. */
async function streamed(bytes: Uint8Array, cuts: number[]): Promise<SseFrame[]> {
  const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let i = 1; i < edges.length; i++) controller.enqueue(bytes.slice(edges[i - 1], edges[i]))
      controller.close()
    },
  })
  return await Array.fromAsync(sseFrames(body))
}

describe("frames", () => {
  test("fields, several data lines, comments and unknown fields", () => {
    const text = ": hello\nid: 7\nevent: item\ndata: one\ndata:two\ndata\nother: x\n\n:\n\ndata: next\n\n"
    expect(all(text)).toEqual([
      { event: "item", data: "one\ntwo\n", id: "7" },
      { event: "message", data: "next", id: "7" },
    ])
  })

  test("only the first space after the colon is dropped", () => {
    expect(all("data:  x \n\n")[0]?.data).toBe(" x ")
  })

  test("a frame without data, and one that is cut off, do not count", () => {
    expect(all("event: x\nid: 3\n\ndata: y\n")).toEqual([])
    expect(all("data\n\n")).toEqual([{ event: "message", data: "", id: "" }])
  })

  test("ids with NUL are ignored, retry is digits only", () => {
    const parser = new SseParser("5")
    expect(parser.push("id: a\0b\ndata: x\n\n")[0]?.id).toBe("5")
    parser.push("retry: 1500\n\nretry: 2s\n\n")
    expect(parser.retry).toBe(1500)
  })

  test("a byte order mark at the start is passed over", async () => {
    expect(await streamed(new TextEncoder().encode("\uFEFFdata: x\n\n"), [1, 2])).toEqual([
      { event: "message", data: "x", id: "" },
    ])
  })

  test("an empty chunk between CR and LF is no line end", () => {
    const parser = new SseParser()
    expect([...parser.push("data: a\r"), ...parser.push(""), ...parser.push("\ndata: b\r\n\r\n")]).toEqual([
      { event: "message", data: "a\nb", id: "" },
    ])
  })
})

test("however it is cut and whatever its line ends, a stream means the same", async () => {
  const line = fc.string({ unit: "grapheme", maxLength: 20 }).map((s) => s.replace(/[\r\n\0\uFEFF]/g, ""))
  const frame = fc.record({
    event: fc.constantFrom("message", "item", "turn"),
    data: fc.array(line, { minLength: 1, maxLength: 4 }),
    id: fc.option(fc.nat({ max: 999 }), { nil: undefined }),
    comment: fc.boolean(),
  })
  const end = fc.constantFrom("\n", "\r", "\r\n")
  await fc.assert(
    fc.asyncProperty(
      fc.array(frame, { maxLength: 8 }),
      end,
      fc.array(fc.nat(), { maxLength: 30 }),
      async (frames, eol, cuts) => {
        let id = ""
        const expected: SseFrame[] = []
        const lines: string[] = []
        for (const f of frames) {
          if (f.comment) lines.push(": beat", "")
          if (f.id !== undefined) {
            id = String(f.id)
            lines.push(`id: ${id}`)
          }
          lines.push(`event: ${f.event}`, ...f.data.map((d) => `data: ${d}`), "")
          expected.push({ event: f.event, data: f.data.join("\n"), id })
        }
        const bytes = new TextEncoder().encode(lines.map((l) => l + eol).join(""))
        expect(await streamed(bytes, cuts)).toEqual(expected)
      },
    ),
    { numRuns: 500 },
  )
})

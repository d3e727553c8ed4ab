import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { type SseFrame, sseFrames } from "../../src/cli/sse.ts"

type Plain = Omit<SseFrame, "retryMs">
const encoded = (text: string): Uint8Array => new TextEncoder().encode(text)
const all = (text: string, lastId?: string): Promise<Plain[]> => streamed(encoded(text), [], lastId)

/** Frames of a stream cut into chunks of bytes. */
async function streamed(bytes: Uint8Array, cuts: number[], lastId?: string): Promise<Plain[]> {
  const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let i = 1; i < edges.length; i++) controller.enqueue(bytes.slice(edges[i - 1], edges[i]))
      controller.close()
    },
  })
  return (await Array.fromAsync(sseFrames(body, lastId))).map(({ retryMs: _, ...frame }) => frame)
}

describe("frames", () => {
  test("fields, several data lines, comments and unknown fields", async () => {
    const text = ": hello\nid: 7\nevent: item\ndata: one\ndata:two\ndata\nother: x\n\n:\n\ndata: next\n\n"
    expect(await all(text)).toEqual([
      { event: "item", data: "one\ntwo\n", id: "7" },
      { event: "message", data: "next", id: "7" },
    ])
  })

  test("a frame without data only moves the id, one that is cut off does not count", async () => {
    expect(await all("event: x\nid: 3\n\ndata: y\n")).toEqual([])
    expect(await all("id: 3\n\ndata: y\n\n")).toEqual([{ event: "message", data: "y", id: "3" }])
  })

  test("a place without data is told: who is cut off there comes back to it", async () => {
    const places: string[] = []
    const body = new Blob(["retry: 1000\nid: 4\n\n: a sign of life\n\n"]).stream()
    expect(await Array.fromAsync(sseFrames(body, "", (id) => places.push(id)))).toEqual([])
    expect(places).toEqual(["4"])
  })

  test("ids go on from the last one, those with NUL are ignored", async () => {
    expect((await all("id: a\0b\ndata: x\n\n", "5"))[0]?.id).toBe("5")
  })

  test("how long to wait comes with what follows it", async () => {
    const body = new Blob(["retry: 1500\n\nretry: 2s\n\ndata: x\n\n"]).stream()
    expect((await Array.fromAsync(sseFrames(body))).map(({ retryMs }) => retryMs)).toEqual([1500])
  })

  test("a byte order mark at the start is passed over", async () => {
    expect(await streamed(encoded("\uFEFFdata: x\n\n"), [1, 2])).toEqual([{ event: "message", data: "x", id: "" }])
  })

  test("an empty chunk between CR and LF is no line end", async () => {
    expect(await streamed(encoded("data: a\r\ndata: b\r\n\r\n"), [8, 8])).toEqual([
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
        const expected: Plain[] = []
        const lines: string[] = []
        for (const f of frames) {
          if (f.comment) lines.push(": beat", "")
          if (f.id !== undefined) {
            id = String(f.id)
            lines.push(`id: ${id}`)
          }
          lines.push(`event: ${f.event}`, ...f.data.map((d) => `data: ${d}`), "")
          if (f.data.join("\n") !== "") expected.push({ event: f.event, data: f.data.join("\n"), id })
        }
        const bytes = new TextEncoder().encode(lines.map((l) => l + eol).join(""))
        expect(await streamed(bytes, cuts)).toEqual(expected)
      },
    ),
    { numRuns: 500 },
  )
})

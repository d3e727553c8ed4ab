import fc from "fast-check"
import { expect, test } from "vitest"
import { ResponseBody } from "../client/body.ts"
import { NumberScanner } from "../client/numbers.ts"

const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

/** Cuts a text at the given places, wherever they fall. */
function cut(text: string, places: number[]): string[] {
  const at = [0, ...places.map((place) => place % (text.length + 1)).sort((a, b) => a - b), text.length]
  return at.slice(1).map((end, i) => text.slice(at[i], end))
}

const chunk = (text: string): string => (text === "" ? "" : `${text.length.toString(16)}\r\n${text}\r\n`)

function scan(ids: number[], chunksAt: number[], packetsAt: number[], from = 0): NumberScanner {
  const frames = ids.map((id) => `id: ${id}\ndata: {"text":"id: 7 \\nid: 8"}\n\n${id % 3 === 0 ? ": beat\n\n" : ""}`)
  const wire = head + cut(frames.join(""), chunksAt).map(chunk).join("")
  const scanner = new NumberScanner(from)
  const body = new ResponseBody((bytes, start, end) => scanner.scan(bytes, start, end))
  for (const packet of cut(wire, packetsAt)) body.push(Buffer.from(packet))
  expect(body.status).toBe(200)
  return scanner
}

const places = fc.array(fc.nat(20_000), { maxLength: 60 })

test("every id is seen once, however chunks and packets are cut", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200 }), places, places, (count, chunks, packets) => {
      const ids = Array.from({ length: count }, (_, i) => i + 96)
      const { last, lost, duplicated, count: seen } = scan(ids, chunks, packets, 95)
      expect({ last, lost, duplicated, seen }).toEqual({ last: count + 95, lost: 0, duplicated: 0, seen: count })
    }),
  )
})

test("a gap is lost, a repeat is duplicated", () => {
  fc.assert(
    fc.property(places, places, (chunks, packets) => {
      const { last, lost, duplicated } = scan([1, 2, 5, 6, 6, 4, 9], chunks, packets)
      expect({ last, lost, duplicated }).toEqual({ last: 9, lost: 4, duplicated: 2 })
    }),
  )
})

/** Texts of updates: numbers, and words in the same place. */
test("texts are checked by content: what is lost, twice or out of order shows, however the packets are cut", () => {
  const frame = (text: string, i: number) => `id: ${i}.0\ndata: {"content":{"type":"text","text":"${text}"}}\n\n`
  fc.assert(
    fc.property(places, places, (chunks, packets) => {
      const texts = [
        "/stream 9",
        "0       ",
        "1       ",
        "word",
        "3       ",
        "3       ",
        "2       ",
        "text",
        "4       ",
      ]
      const wire = head + cut(texts.map(frame).join(""), chunks).map(chunk).join("")
      const scanner = new NumberScanner(-1, `ext":"`)
      const body = new ResponseBody((bytes, start, end) => scanner.scan(bytes, start, end))
      for (const packet of cut(wire, packets)) body.push(Buffer.from(packet))
      const { last, count, lost, duplicated } = scanner
      expect({ last, count, lost, duplicated }).toEqual({ last: 4, count: 6, lost: 1, duplicated: 2 })
    }),
  )
})

test("a body is whole when its length is reached, in whatever pieces it comes", () => {
  const closed = `${chunk("{}")}0\r\n\r\n`
  const wires = [
    `${head}${closed}`,
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
    "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\nAcp-Connection-Id: one\r\n\r\n",
  ]
  fc.assert(
    fc.property(fc.constantFrom(...wires), places, (wire, packets) => {
      let text = ""
      const body = new ResponseBody((bytes, start, end) => {
        text += bytes.toString("utf8", start, end)
      })
      const pieces = cut(wire, packets).filter((piece) => piece !== "")
      for (const packet of pieces) {
        expect(body.ended).toBe(false)
        body.push(Buffer.from(packet))
      }
      expect(body.ended).toBe(true)
      expect(text).toBe(body.status === 200 ? "{}" : "")
      expect(body.header("acp-connection-id")).toBe(body.status === 202 ? "one" : undefined)
    }),
  )
})

import type { Event } from "@sandbox-agent/schema/event"
import fc from "fast-check"
import { expect, test } from "vitest"
import { Deltas } from "../../src/faces/acp/deltas.ts"
import { FrameWriter } from "../../src/faces/acp/frames.ts"
import type { ItemHead } from "../../src/faces/acp/projection/head.ts"
import { type Traits, traitsOf } from "../../src/faces/acp/projection/traits.ts"
import { project } from "../../src/faces/acp/projection/updates.ts"
import { frame } from "../../src/store/frames.ts"
import { setStage } from "../core/stage.ts"
import { eventsInText } from "../harness/sse.ts"
import { clients } from "./projection/log-projection.ts"

const projection = (head: ItemHead | undefined, traits: Traits) => (event: Event) =>
  project(event, head, traits).map((envelope) => ({ json: JSON.stringify(envelope) }))

/** Words that a search for the places of a delta could stumble over. */
const traps = [
  '"',
  "\\",
  '","part":{',
  '"type":"',
  'item.delta","data":{',
  ',"delta":"',
  "\0",
  "\\u0000",
  "\ud83d",
  "é🙂",
]
const words = fc.array(fc.oneof(fc.constantFrom(...traps), fc.string({ unit: "binary" })), { maxLength: 6 })
const text = words.map((parts) => parts.join(""))

const head: fc.Arbitrary<ItemHead | undefined> = fc.constantFrom<(ItemHead | undefined)[]>(
  undefined,
  { kind: "message", role: "assistant" },
  { kind: "message", role: "assistant", parentId: "item_0" },
  { kind: "message", role: "user" },
  { kind: "tool_call", name: "Bash", callId: "call_1" },
  { kind: "tool_result", callId: "call_1", parentId: "item_0" },
)
const delta = fc.record(
  {
    item_id: fc.constantFrom("item_1", "item_2"),
    native_item_id: text,
    delta: text,
    part: fc.record({ index: fc.nat(2), type: fc.constantFrom("text", "reasoning", "arguments", "output") }),
    reset: fc.constant(true),
  },
  { requiredKeys: ["item_id", "delta", "part"] },
)

/** As the core writes it. */
const stored = (sequence: number, type: string, data: object, native?: string, replayed = false): string => {
  const begin = { event_id: `evt_1_${sequence}`, sequence, time: "2026-01-01T00:00:00.000Z", session_id: "one" }
  const origin = { native_session_id: native, source: "agent", synthetic: false }
  return JSON.stringify({ ...begin, ...origin, type, data, replayed: replayed || undefined })
}

/** Frames of these events, whose first sequence is `first`, told one by one; `parsed` are those that had to be. */
function writeAll(texts: string[], first: number, project: (event: Event) => readonly { json: string }[]) {
  const bytes = Buffer.from(texts.map((json, i) => frame(first + i, json)).join(""))
  const out = new FrameWriter()
  const deltas = new Deltas(bytes, project, out)
  const parsed: number[] = []
  let at = 0
  texts.forEach((json, i) => {
    const one = () => deltas.write(at, first + i, 7_000 + i)
    let next = one()
    if (next < 0 && deltas.learn(json, first + i)) next = one()
    if (next < 0) parsed.push(i)
    at = next < 0 ? at + Buffer.byteLength(frame(first + i, json)) : next
  })
  expect(at).toBe(bytes.length)
  return { written: Buffer.from(out.bytes()).toString(), parsed }
}

test("a delta that is put together is the delta that is parsed and projected, whatever it says", () => {
  const one = fc.record({ data: delta, replayed: fc.boolean() })
  fc.assert(
    fc.property(
      fc.array(one, { minLength: 1, maxLength: 8 }),
      fc.constantFrom(1, 7, 97, 99_998),
      head,
      fc.option(text, { nil: undefined }),
      fc.constantFrom(...Object.values(clients)),
      (events, first, of, native, traits) => {
        const tell = projection(of, traits)
        const texts = events.map(({ data, replayed }, i) => stored(first + i, "item.delta", data, native, replayed))
        const expected = texts.flatMap((json, i) =>
          tell(JSON.parse(json) as Event).map((each) => `id: ${7_000 + i}.0\ndata: ${each.json}\n\n`),
        )
        expect(writeAll(texts, first, tell)).toEqual({ written: expected.join(""), parsed: [] })
      },
    ),
    { numRuns: 500 },
  )
})

test("an event that only holds what looks like a delta is left to be parsed", () => {
  const like = { item_id: "item_1", delta: "no", part: { index: 0, type: "text" } }
  const inside = { type: "item.delta", data: like }
  const item = { item_id: "item_1", kind: "unknown", status: "completed", content: [{ type: "json", json: inside }] }
  const texts = [
    stored(1, "item.delta", like, "native"),
    stored(2, "item.completed", { item }, "native"),
    stored(3, "error", { message: JSON.stringify(inside), details: inside }, JSON.stringify(inside)),
    stored(4, "item.delta", like, "native"),
  ]
  expect(writeAll(texts, 1, projection(undefined, traitsOf({}))).parsed).toEqual([1, 2])
})

test("deltas of more parts than are learnt are left to be parsed", () => {
  const texts = Array.from({ length: 30 }, (_, i) => {
    const data = { item_id: `item_${i % 10}`, delta: `${i}`, part: { index: 0, type: "text" } }
    return stored(1 + i, "item.delta", data)
  })
  const { written, parsed } = writeAll(texts, 1, projection(undefined, traitsOf({})))
  expect(parsed).toEqual([8, 9, 18, 19, 28, 29])
  expect(written.match(/"text":"(\d+)"/g)).toHaveLength(24)
})

test("what the core writes is put together: one projection for all deltas of a part", async () => {
  await using stage = await setStage()
  await stage.running()
  stage.say(() => stage.sink.open({ key: "a", kind: "message", content: [{ type: "text", text: "" }] }))
  for (let i = 0; i < 100; i++) stage.say(() => stage.sink.delta("a", { index: 0, type: "text" }, `"${i}"\n`))
  stage.core.context.store.flush()
  let projected = 0
  const tell = projection({ kind: "message", role: "assistant" }, traitsOf({}))
  const texts = stage.core.context.reader.texts(stage.session.log, 0, 1_000).map(({ json }) => json)
  const { written, parsed } = writeAll(texts, 1, (event) => {
    projected++
    return tell(event)
  })
  expect(parsed).toHaveLength(texts.length - 100)
  const said = eventsInText(written).map(({ data }) => JSON.parse(data))
  const expected = Array.from({ length: 100 }, (_, i) => `"${i}"\n`)
  expect(said.map(({ params }) => params.update.content.text)).toEqual(expected)
  expect(projected).toBe(1)
})

test("a writer holds any length of text, and begins anew", () => {
  const out = new FrameWriter()
  const long = "é🙂".repeat(200_000)
  out.frame(1_234_567_890_123, 9, "{}")
  out.frame(0, 10, long)
  expect(Buffer.from(out.bytes()).toString()).toBe(`id: 1234567890123.9\ndata: {}\n\nid: 0.10\ndata: ${long}\n\n`)
  expect(out.last).toEqual({ pos: 0, k: 10 })
  out.reset()
  expect(out.last).toBe(undefined)
  expect(out.bytes()).toHaveLength(0)
})

import fc from "fast-check"
import { expect, test } from "vitest"
import type { Session } from "../../src/core/session.ts"
import type { Acp } from "../../src/faces/acp/acp.ts"
import { Pages } from "../../src/faces/acp/pages.ts"
import type { Projected } from "../../src/faces/acp/projected.ts"
import { traitsOf } from "../../src/faces/acp/projection/traits.ts"
import { splice } from "../../src/faces/acp/splice.ts"
import { Log } from "../../src/store/log.ts"
import { LogReader } from "../../src/store/reader.ts"
import { standalone } from "./standalone.ts"

/** A session of an agent that speaks ACP itself, on a real store; each line is one delta unless told otherwise. */
function stage() {
  const { store, rows } = standalone()
  const log = new Log(1, true)
  const reader = new LogReader(store.db)
  const s = { record: { uid: 1, id: "ours", agent: "own" }, log, driver: { protocol: "acp" } } as unknown as Session
  const services = { reader }
  const newPages = () => new Pages({ services, rows, catalogs: { known: () => undefined } } as unknown as Acp)
  let sequence = 0
  let n = 0
  const event = (type: string, data: object, raw = n) => {
    sequence++
    const begin = { event_id: `evt_1_${sequence}`, sequence, time: "2026-01-01T00:00:00.000Z", session_id: "ours" }
    store.append(log, sequence, JSON.stringify({ ...begin, source: "agent", synthetic: false, type, data }), raw)
  }
  const delta = (text = "x") => event("item.delta", { item_id: "i", delta: text, part: { index: 0, type: "text" } })
  const line = (raw: string, ...events: (() => void)[]) => {
    store.raw(log, ++n, "<", raw)
    for (const tell of events) tell()
  }
  const places = (pages: Pages): [place: string, json: string][] => {
    const made: Projected[] = []
    for (let at = 0; at < log.last; ) {
      const [page] = reader.pages(log, at)
      if (page === undefined) break
      made.push(pages.of(s, page, traitsOf({})))
      at = page.first + page.count - 1
    }
    return made.flatMap(({ lines }) => lines.map(({ pos, k, json }) => [`${pos} ${k}`, json] as [string, string]))
  }
  const sent = (pages: Pages): string[] => places(pages).map(([, json]) => json)
  return { store, log, line, delta, event, newPages, places, sent }
}

const update = (body: string, session = "native-1") =>
  `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"${session}","update":${body}}}`
const chunk = (text: string, more = "") =>
  update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":${text}}${more}}`)

/** What every client must be told of a chunk. */
const spliced = (line: string) => splice(line.trim(), [[["params", "sessionId"], "ours"]])

/** Spellings of a text that a search for its end could stumble over. */
const traps = ['\\"', "\\\\", "\\u0022", '\\",\\"', '\\\\\\"', "}}}}", "é🙂", '\\"}}}}', "\\ud83d"]
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(...traps),
      fc.string().map((one) => JSON.stringify(one).slice(1, -1)),
    ),
    { maxLength: 6 },
  )
  .map((parts) => `"${parts.join("")}"`)
/** The same message in words of its own: order, spaces, members before and behind, a name that stands twice. */
const written = fc.constantFrom(
  (said: string) => chunk(said),
  (said: string) => chunk(said, ',"_meta":{"text":"no","n":1.0}'),
  (said: string) => chunk(said, `,"_meta":{"of":"\\"text\\":"}`),
  (said: string) => chunk(`"first","text": ${said}`),
  (said: string) =>
    ` { "params" : {"update":{"content":{ "text" : ${said} ,"type":"text"},"sessionUpdate":"agent_thought_chunk"},"sessionId":"native-1"}, "method":"session/update"} `,
  (said: string) => chunk(said, `,"messageId":${said}`),
  (said: string) => chunk(`${said}}},"sessionId":"native-1","x":{"y":{"z":${said}`),
)

test("a chunk that is put together is the line with our ids in it, whatever it says and however it is spelt", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(written, text), { minLength: 1, maxLength: 12 }), fc.boolean(), (said, kept) => {
      const it = stage()
      const lines = said.map(([write, words]) => write(words))
      for (const line of lines) it.line(line, it.delta)
      it.store.flush()
      if (!kept) it.log.dropTail()
      const pages = it.newPages()
      expect(it.sent(pages)).toEqual(lines.map(spliced))
      // What was learnt of them before stays true.
      for (const line of lines) it.line(line, it.delta)
      it.store.flush()
      expect(it.sent(pages)).toEqual([...lines, ...lines].map(spliced))
      it.store.close()
    }),
    { numRuns: 300 },
  )
})

test("a line is told once, with its first event that it tells, also where a page ends between them", () => {
  const it = stage()
  const lines = Array.from({ length: 8 }, (_, i) => chunk(`"${i}"`))
  const item = { item_id: "i", kind: "message", role: "assistant", status: "in_progress", content: [] }
  const started = () => it.event("item.started", { item })
  for (const [i, line] of lines.entries()) {
    if (i === 5) it.line(line, started, () => it.store.flush(), it.delta)
    else if (i === 6) it.line(line, () => it.store.flush(), it.delta, it.delta)
    else it.line(line, it.delta)
  }
  it.store.flush()
  expect(it.sent(it.newPages())).toEqual(lines.map(spliced))
  it.log.dropTail()
  expect(it.sent(it.newPages())).toEqual(lines.map(spliced))
  it.store.close()
})

test("the first chunk of every item is told at the same place, whether others like it were seen before or not", () => {
  const it = stage()
  const lines = Array.from({ length: 6 }, (_, i) => chunk(`"${i}"`))
  const started = (kind = "message", role = "assistant") =>
    it.event("item.started", { item: { item_id: "i", kind, role, status: "in_progress", content: [] } })
  lines.forEach((line, i) => {
    it.line(line, started, it.delta)
    if (i === 2) it.line(chunk('"more"'), it.delta)
  })
  it.store.flush()
  const pages = it.newPages()
  const cold = it.places(pages)
  expect(cold.map(([, json]) => json)).toEqual([...lines.slice(0, 3), chunk('"more"'), ...lines.slice(3)].map(spliced))
  pages.forget()
  expect(it.places(pages)).toEqual(cold)
  // An item that these words do not tell of is told by itself.
  it.line(chunk('"aside"'), () => started("tool_call"), it.delta)
  it.line(chunk('"of the user"'), () => started("message", "user"), it.delta)
  it.store.flush()
  const after = it.places(pages)
  expect(after).toEqual(it.places(it.newPages()))
  expect(after.slice(cold.length).map(([, json]) => json)).toEqual([
    expect.stringContaining('"tool_call"'),
    spliced(chunk('"aside"')),
    spliced(chunk('"of the user"')),
  ])
  it.store.close()
})

test("a chunk whose event is no delta is not put together: what the core did at it is told as well", () => {
  const it = stage()
  const call = { type: "tool_call", name: "Bash", arguments: "{}", call_id: "t1" }
  const item = { item_id: "t", kind: "tool_call", role: "assistant", status: "completed", content: [call] }
  const lines = Array.from({ length: 4 }, (_, i) => chunk(`"${i}"`))
  lines.forEach((line, i) => {
    if (i < 3) it.line(line, it.delta)
    // The agent said no more of a call, and goes on.
    else it.line(line, () => it.event("item.completed", { item }), it.delta)
  })
  it.store.flush()
  const sent = it.sent(it.newPages())
  expect(sent.filter((json) => json.includes("_chunk"))).toEqual(lines.map(spliced))
  expect(sent[3]).toContain('"tool_call')
  it.store.close()
})

test("a message of the user is told once, when it is whole, and a call whatever stands in what is known of it", () => {
  const it = stage()
  const content = [{ type: "text", text: "hi" }]
  const item = { item_id: "u", status: "in_progress", kind: "message", role: "user", content }
  it.event("item.started", { item }, 0)
  it.event("item.completed", { item: { ...item, status: "completed" } }, 0)
  const call = { type: "tool_call", name: "Bash", arguments: "{}", call_id: "t1" }
  const metadata = { of: { item_id: "x", status: "in_progress", kind: "message", role: "user" } }
  const running = { item_id: "t", status: "in_progress", kind: "tool_call", role: "assistant" }
  it.event("item.started", { item: { ...running, metadata, content: [call] } }, 0)
  it.store.flush()
  const updates = it.sent(it.newPages()).map((json) => JSON.parse(json).params.update.sessionUpdate)
  expect(updates).toEqual(["user_message_chunk", "tool_call"])
  it.store.close()
})

test("what was just committed is told from memory: the database is not asked", () => {
  const it = stage()
  const lines = Array.from({ length: 1_000 }, (_, i) => chunk(`"${i}"`))
  for (const line of lines) it.line(line, it.delta)
  it.store.flush()
  it.store.db.run("DELETE FROM log")
  expect(it.sent(it.newPages())).toEqual(lines.map(spliced))
  it.store.close()
})

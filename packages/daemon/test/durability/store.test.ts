import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { limits } from "@sandbox-agent/schema/limits"
import fc from "fast-check"
import { afterAll, expect, test } from "vitest"
import { frame } from "../../src/store/frames.ts"
import { Log } from "../../src/store/log.ts"
import { LogReader } from "../../src/store/reader.ts"
import { Store } from "../../src/store/store.ts"

const directory = mkdtempSync(join(tmpdir(), "store-"))
afterAll(() => rmSync(directory, { recursive: true }))

/** One log and what should be in it. */
class Model {
  readonly log: Log
  readonly events: { json: string; raw: number }[] = []
  readonly raws: string[] = []
  committed = 0
  constructor(uid: number) {
    this.log = new Log(uid, uid > 1)
  }
}

type Step =
  | { do: "append"; log: number; text: string; count: number; raw: boolean }
  | { do: "raw"; log: number; line: string }
  | { do: "break" | "drop"; log: number }
  | { do: "flush" }
  | { do: "read"; log: number; at: number; limit: number }

const log = fc.nat(2)
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.nat(6_000).map((n) => "é\n\r\u2028".repeat(n / 4)),
)
const line = fc.string({ unit: "binary", maxLength: 60 }).map((s) => s.replaceAll(/[\n\r\ud800-\udfff]/g, "_"))
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("append" as const),
      log,
      text,
      count: fc.integer({ min: 1, max: 3 }),
      raw: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("append" as const),
      log,
      text: fc.string(),
      count: fc.integer({ min: 300, max: 1_500 }),
      raw: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("raw" as const), log, line }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("break" as const, "drop" as const), log }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("flush" as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("read" as const),
      log,
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      limit: fc.integer({ min: 1, max: 1_000 }),
    }),
  },
)

function run(store: Store, model: Model, reader: LogReader, s: Step): void {
  if (s.do === "raw") {
    model.raws.push(s.line)
    return store.raw(model.log, model.raws.length, "<", s.line)
  }
  if (s.do === "break") return store.breakPage(model.log, model.events.length + 1)
  if (s.do === "drop") return model.log.dropTail()
  if (s.do === "append")
    for (let i = 0; i < s.count; i++) {
      const event = {
        json: JSON.stringify({ n: model.events.length, text: s.text }),
        raw: s.raw ? model.raws.length : 0,
      }
      model.events.push(event)
      store.append(model.log, model.events.length, event.json, event.raw)
    }
  if (s.do === "read") check(model, reader, Math.round(s.at * model.committed), s.limit)
}

function check(model: Model, reader: LogReader, cursor: number, limit: number): void {
  const wanted = model.events.slice(0, model.committed).map((event, i) => ({ sequence: i + 1, ...event }))
  expect(model.log.last).toBe(model.committed)
  expect(reader.texts(model.log, cursor, limit)).toEqual(wanted.slice(cursor, cursor + limit))
  for (const { sequence, raw } of wanted.slice(cursor, cursor + 20))
    if (raw > 0) expect(reader.line(model.log, raw, sequence)).toBe(model.raws[raw - 1])
  const parts: Uint8Array[] = []
  let at = cursor
  for (let next = reader.next(model.log, at); next !== undefined; next = reader.next(model.log, at)) {
    expect(next.first).toBe(at + 1)
    expect(next.last).toBeGreaterThan(at)
    at = next.last
    parts.push(next.bytes)
  }
  expect(at).toBe(model.committed)
  const frames = wanted.slice(cursor).map(({ sequence, json }) => frame(sequence, json))
  expect(Buffer.concat(parts).toString()).toBe(frames.join(""))
}

test.each(["memory", "sqlite"] as const)(
  "any mix of appends, pages, flushes and cursors reads back exactly, and nothing before COMMIT (%s)",
  (kind) => {
    let runs = 0
    fc.assert(
      fc.property(fc.array(step, { minLength: 5, maxLength: 60 }), (steps) => {
        const store = new Store({ kind, directory: join(directory, `${kind}-${runs++}`) })
        const reader = new LogReader(store.db)
        const models = [new Model(1), new Model(2), new Model(3)]
        for (const s of steps) {
          if (s.do === "flush") {
            store.flush()
            for (const model of models) model.committed = model.events.length
          } else run(store, models[s.log] as Model, reader, s)
        }
        store.flush()
        for (const model of models) {
          model.committed = model.events.length
          check(model, reader, 0, 10_000)
          for (const [i, raw] of model.raws.entries()) expect(reader.rawLine(model.log.uid, i + 1)).toBe(raw)
          expect(reader.rawLine(model.log.uid, model.raws.length + 1)).toBeUndefined()
        }
        store.close()
      }),
      { numRuns: kind === "memory" ? 60 : 15, seed: 20_260 },
    )
  },
)

test("a state row and the event that caused it are in one transaction, however much a tick adds", () => {
  const store = new Store({ kind: "memory", directory })
  const one = new Log(1)
  for (let n = 1; n <= limits.flushEvents * 3; n++) {
    store.append(one, n, `{"n":${n}}`, 0)
    expect(one.last, `the event ${n} was committed before its row`).toBe(0)
    store.write(() => store.db.run("INSERT OR REPLACE INTO meta (key, value) VALUES ('last', ?)", [String(n)]))
  }
  store.flush()
  expect(one.last).toBe(limits.flushEvents * 3)
  store.close()
})

test("readers wake after COMMIT, when whoever waited for it has had their turn", async () => {
  const store = new Store({ kind: "memory", directory })
  const one = new Log(1)
  const seen: number[] = []
  one.waiting.add(() => seen.push(one.last))
  store.append(one, 1, "{}", 0)
  await Promise.resolve()
  expect(seen).toEqual([])
  const order: string[] = []
  one.waiting.add(() => order.push("a reader"))
  const agent = (async () => {
    await store.committed()
    // Several steps lie between that and the pipe of an agent.
    for (let step = 0; step < 10; step++) await Promise.resolve()
    order.push("an agent")
  })()
  await agent
  await setImmediate()
  expect({ seen, order }).toEqual({ seen: [1], order: ["an agent", "a reader"] })
  store.close()
})

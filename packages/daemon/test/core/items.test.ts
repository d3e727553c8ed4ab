import type { Item } from "@sandbox-agent/schema/item"
import { expect, test } from "vitest"
import { checkLog } from "./checks.ts"
import { type Stage, setStage } from "./stage.ts"

const text = { index: 0, type: "text" } as const
const output = { index: 0, type: "output" } as const

const deltas = (stage: Stage) => stage.of("item.delta").map(({ data }) => (data.reset ? `!${data.delta}` : data.delta))
const finals = (stage: Stage): Item[] =>
  stage.of("item.completed").flatMap(({ data }) => (data.item.role === "user" ? [] : [data.item]))
const texts = (stage: Stage) => finals(stage).map(({ content }) => content)
const good = (stage: Stage) => expect(checkLog(stage.events(), { open: true })).toEqual([])

async function running(): Promise<Stage> {
  const stage = await setStage()
  await stage.running()
  return stage
}

test("cumulative partials become deltas, and one that takes back becomes a reset", async () => {
  await using stage = await running()
  const { sink } = stage
  stage.say(() => {
    sink.open({ key: "a", kind: "message" })
    for (const whole of ["He", "Hello", "Hello", "Hullo", "Hullo!"]) sink.snapshot("a", text, whole)
    sink.close("a", { status: "completed" })
  })
  expect(deltas(stage)).toEqual(["He", "llo", "!Hullo", "!"])
  expect(texts(stage)).toEqual([[{ type: "text", text: "Hullo!" }]])
  expect(stage.faults).toEqual({})
  good(stage)
})

test("the missing tail of a text comes as one synthetic delta", async () => {
  await using stage = await running()
  const { sink } = stage
  stage.say(() => {
    sink.open({ key: "a", kind: "message" })
    sink.delta("a", text, "Hel")
    sink.close("a", { status: "completed", content: [{ type: "text", text: "Hello" }] })
  })
  const [said, missing] = stage.of("item.delta")
  expect([said?.data.delta, said?.synthetic, missing?.data.delta, missing?.synthetic]).toEqual([
    "Hel",
    false,
    "lo",
    true,
  ])
  expect(stage.faults).toEqual({})
  good(stage)
})

test("an assistant's text without deltas gets one, given at the start or at the end; other items get none", async () => {
  await using stage = await running()
  const { sink } = stage
  stage.say(() => {
    sink.open({ key: "a", kind: "message", content: [{ type: "text", text: "at the start" }] })
    sink.close("a", { status: "completed" })
    sink.open({ key: "b", kind: "message" })
    sink.close("b", { status: "completed", content: [{ type: "reasoning", text: "at the end", visibility: "public" }] })
    sink.open({ key: "c", kind: "system", content: [{ type: "text", text: "a note" }] })
    sink.close("c", { status: "completed" })
  })
  expect(deltas(stage)).toEqual(["at the start", "at the end"])
  expect(texts(stage).flat()).toMatchObject([
    { text: "at the start" },
    { text: "at the end", visibility: "public" },
    { text: "a note" },
  ])
  good(stage)
})

test("deltas that contradict the final are reset to it and counted; no part keeps text the final lacks", async () => {
  await using stage = await running()
  const { sink } = stage
  stage.say(() => {
    sink.open({ key: "a", kind: "message" })
    sink.delta("a", text, "wrong")
    sink.delta("a", { index: 1, type: "text" }, "too much")
    sink.close("a", { status: "completed", content: [{ type: "text", text: "right" }] })
  })
  expect(deltas(stage)).toEqual(["wrong", "too much", "!right", "!"])
  expect(stage.faults).toEqual({ deltas_contradict_final: 2 })
  good(stage)
})

test("output may differ from its deltas: the completion is the truth, and no delta is made up", async () => {
  await using stage = await running()
  const { sink } = stage
  stage.say(() => {
    sink.open({ key: "r", kind: "tool_result", content: [{ type: "tool_result", call_id: "c", output: "" }] })
    sink.delta("r", output, "line 2\n")
    sink.close("r", {
      status: "completed",
      content: [{ type: "tool_result", call_id: "c", output: "line 1\nline 2\n" }],
    })
  })
  expect(deltas(stage)).toEqual(["line 2\n"])
  expect(texts(stage)).toEqual([[{ type: "tool_result", call_id: "c", output: "line 1\nline 2\n" }]])
  expect(stage.faults).toEqual({})
})

test("a delta without a place is dropped and counted, its line is kept", async () => {
  await using stage = await running()
  const { sink } = stage
  stage.say(() => {
    sink.open({
      key: "c",
      kind: "tool_call",
      content: [{ type: "tool_call", name: "T", arguments: "", call_id: "c1" }],
    })
    sink.delta("c", text, "text on arguments")
    sink.delta("c", { index: 7, type: "text" }, "far away")
    sink.delta("c", { index: 0, type: "arguments" }, "{}")
    sink.close("c", { status: "completed" })
  })
  expect(stage.faults).toEqual({ delta_on_wrong_part: 2 })
  expect(texts(stage)).toEqual([[{ type: "tool_call", name: "T", arguments: "{}", call_id: "c1" }]])
})

const twice = (once: (sink: Stage["sink"]) => void) => (sink: Stage["sink"]) => {
  once(sink)
  once(sink)
}

const misbehaviour: [string, (sink: Stage["sink"]) => void, Record<string, number>, number][] = [
  ["a delta for an unknown key", (sink) => sink.delta("a", text, "x"), { delta_unopened: 1 }, 1],
  ["a close for an unknown key", (sink) => sink.close("a", { status: "completed" }), { item_closed_unopened: 1 }, 1],
  ["a second open", twice((sink) => sink.open({ key: "a", kind: "message" })), { item_opened_twice: 1 }, 1],
  [
    "a second close",
    twice((sink) => sink.close("a", { status: "completed" })),
    { item_closed_unopened: 1, item_closed_twice: 1 },
    1,
  ],
  [
    "a delta after the close",
    (sink) => {
      sink.open({ key: "a", kind: "message" })
      sink.close("a", { status: "completed" })
      sink.delta("a", text, "too late")
    },
    { delta_after_close: 1 },
    1,
  ],
  [
    "a key used again",
    twice((sink) => {
      sink.open({ key: "a", kind: "message" })
      sink.close("a", { status: "completed" })
    }),
    { item_reopened: 1 },
    2,
  ],
]

test.each(misbehaviour)("%s is repaired and counted", async (_, misbehave, faults, items) => {
  await using stage = await running()
  stage.say(() => misbehave(stage.sink))
  expect(stage.faults).toEqual(faults)
  expect(stage.of("item.started").filter(({ data }) => data.item.role !== "user")).toHaveLength(items)
  good(stage)
})

test("what comes after the turn is a new item without a turn, marked late, and no fault", async () => {
  await using stage = await running()
  const { sink } = stage
  stage.say(() => {
    sink.open({ key: "a", kind: "message" })
    sink.delta("a", text, "in the turn")
    sink.turnEnded({ stop: "end_turn" })
    sink.delta("a", text, "after it")
    sink.close("a", { status: "completed" })
  })
  const [cut, late] = finals(stage)
  expect([cut?.status, cut?.metadata, cut?.turn_id]).toEqual([
    "failed",
    { reason: "lost" },
    stage.of("turn.ended")[0]?.data.turn_id,
  ])
  expect([late?.status, late?.late, late?.turn_id, late?.content]).toEqual([
    "completed",
    true,
    undefined,
    [{ type: "text", text: "after it" }],
  ])
  expect(late?.item_id).not.toBe(cut?.item_id)
  expect(stage.faults).toEqual({})
  good(stage)
})

test("a retried message fails with its text so far, of its own group only", async () => {
  await using stage = await running()
  const { sink } = stage
  stage.say(() => {
    sink.open({ key: "a", kind: "message", group: "one" })
    sink.delta("a", text, "half an ans")
    sink.open({ key: "b", kind: "message", group: "two" })
    sink.retry("one")
    sink.open({ key: "a2", kind: "message", group: "one" })
  })
  expect(finals(stage)).toMatchObject([
    { status: "failed", metadata: { reason: "retried" }, content: [{ text: "half an ans" }] },
  ])
  expect([...stage.session.items.keys()]).toEqual(["b", "a2"])
})

test("results and sub-agents hang where they belong", async () => {
  await using stage = await running()
  const { sink } = stage
  const call = (id: string) => [{ type: "tool_call" as const, name: "Task", arguments: "{}", call_id: id }]
  const result = (id: string) => [{ type: "tool_result" as const, call_id: id, output: "done" }]
  stage.say(() => {
    sink.open({ key: "m", kind: "message" })
    sink.open({ key: "c", kind: "tool_call", parent: "m", content: call("c") })
    sink.close("c", { status: "completed" })
    sink.open({ key: "inner", kind: "tool_call", parent: "c", content: call("inner") })
    sink.close("inner", { status: "completed" })
    sink.open({ key: "r2", kind: "tool_result", content: result("inner") })
    sink.open({ key: "r1", kind: "tool_result", content: result("c") })
  })
  const items = stage.of("item.started").map(({ data }) => data.item)
  const id = (key: string) => items.find((item) => item.native_item_id === key)?.item_id
  const parent = (key: string) => items.find((item) => item.native_item_id === key)?.parent_id
  expect([parent("c"), parent("r1"), parent("inner"), parent("r2")]).toEqual([id("m"), id("m"), id("c"), id("c")])
})

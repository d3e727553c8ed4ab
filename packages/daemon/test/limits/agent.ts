import { intervals } from "@sandbox-agent/schema/intervals"
import { limits } from "@sandbox-agent/schema/limits"
import { expect } from "vitest"
import { boundData } from "../../src/core/bounds.ts"
import { deadlinesOf } from "../../src/core/deadline.ts"
import { checkLog } from "../core/checks.ts"
import { type Stage, setStage } from "../core/stage.ts"
import { overfill } from "./overfill.ts"

/** What an agent says, one over each limit, to a real core. */
const text = { index: 0, type: "text" } as const
const x = (length: number) => "x".repeat(length)
const good = (stage: Stage) => expect(checkLog(stage.events(), { open: true })).toEqual([])

async function running(): Promise<Stage> {
  const stage = await setStage()
  await stage.running()
  return stage
}

overfill(["openRequests"], "a further one is cancelled at once and the agent is refused", async () => {
  await using stage = await running()
  const ask = (key: string) =>
    stage.say(() => stage.sink.ask({ key, type: "permission", kind: "command", action: "Run", covers: [], always: [] }))
  for (let i = 0; i < limits.openRequests; i++) ask(`${i}`)
  expect(stage.session.requests.size).toBe(limits.openRequests)
  ask("over")
  expect(stage.session.requests.size).toBe(limits.openRequests)
  expect(stage.of("permission.resolved").map(({ data }) => data.status)).toEqual(["cancelled"])
  const answer = await stage.puppet.until("answer")
  expect(answer).toMatchObject({ key: "over", answer: { reply: "reject" } })
  expect(stage.fault("too_many_open_requests")).toBe(1)
  good(stage)
})

overfill(["openItems"], "a further one fails the oldest", async () => {
  await using stage = await running()
  stage.say(() => {
    for (let i = 0; i <= limits.openItems; i++) stage.sink.open({ key: `${i}`, kind: "message" })
  })
  expect(stage.session.items.size).toBe(limits.openItems)
  const failed = stage.of("item.completed").filter(({ data }) => data.item.status === "failed")
  expect(failed.map(({ data }) => [data.item.native_item_id, data.item.metadata?.reason])).toEqual([["0", "lost"]])
  expect(stage.fault("too_many_open_items")).toBe(1)
  good(stage)
})

overfill(["toolOutputBytes"], "longer output, arguments, diffs and JSON are cut and say so", async () => {
  await using stage = await running()
  const long = x(limits.toolOutputBytes + 1)
  const { sink } = stage
  stage.say(() => {
    sink.close("r", {
      status: "completed",
      content: [
        { type: "tool_result", call_id: "c", output: long },
        { type: "file_ref", path: "a", action: "patch", diff: long },
      ],
    })
    sink.close("j", { status: "completed", content: [{ type: "json", json: long }] })
    sink.close("c", { status: "completed", content: [{ type: "tool_call", name: "T", arguments: long, call_id: "c" }] })
  })
  for (const event of stage.of("item.completed"))
    expect(JSON.stringify(event).length).toBeLessThan(2.1 * limits.toolOutputBytes)
  const parts = stage.of("item.completed").flatMap(({ data }) => data.item.content)
  expect(parts).toMatchObject([
    { type: "text" },
    { truncated: true, output: expect.stringContaining("characters cut") },
    { diff: expect.stringContaining("characters cut") },
    { json: { truncated: true } },
    { arguments: expect.stringContaining("truncated") },
  ])
})

overfill(["toolOutputBytes"], "text that is not an assistant's is cut too", async () => {
  await using stage = await running()
  stage.say(() => {
    stage.sink.open({ key: "s", kind: "system", content: [{ type: "text", text: x(limits.toolOutputBytes + 1) }] })
    stage.sink.close("s", { status: "completed" })
    stage.sink.status("note", x(limits.toolOutputBytes + 1))
  })
  const sizes = stage.of("item.completed").map((event) => JSON.stringify(event).length)
  expect(Math.max(...sizes)).toBeLessThan(1.1 * limits.toolOutputBytes)
  good(stage)
})

overfill(["deltaBytes"], "a longer chunk becomes several deltas and stays one text", async () => {
  await using stage = await running()
  const emoji = `${x(limits.deltaBytes - 1)}🎉${x(10)}`
  stage.say(() => {
    stage.sink.delta("a", text, x(limits.deltaBytes))
    stage.sink.delta("b", text, emoji)
    stage.sink.close("b", { status: "completed" })
  })
  const pieces = stage.of("item.delta").map(({ data }) => data.delta)
  expect(pieces.map((piece) => piece.length)).toEqual([limits.deltaBytes, limits.deltaBytes - 1, 12])
  expect(pieces.every((piece) => piece.isWellFormed())).toBe(true)
  good(stage)
})

overfill(
  ["itemTextBytes"],
  "a longer block goes on in a new item of its group, streamed or given at the end",
  async () => {
    await using stage = await running()
    const { sink } = stage
    const whole = `${x(limits.itemTextBytes)}${"y".repeat(100)}`
    stage.say(() => {
      sink.open({ key: "streamed", kind: "message", group: "g" })
      sink.delta("streamed", text, x(limits.itemTextBytes - 10))
      sink.delta("streamed", text, `${x(10)}${"y".repeat(50)}`)
      sink.snapshot("streamed", text, whole)
      sink.close("streamed", { status: "completed", content: [{ type: "text", text: whole }] })
      sink.open({ key: "whole", kind: "message", group: "g" })
      sink.close("whole", { status: "completed", content: [{ type: "text", text: whole }] })
    })
    const done = stage
      .of("item.completed")
      .slice(1)
      .map(({ data }) => data.item)
    const lengths = done.map(({ content }) => (content[0]?.type === "text" ? content[0].text.length : 0))
    expect(lengths).toEqual([limits.itemTextBytes, 100, limits.itemTextBytes, 100])
    expect(done.map(({ group, metadata }) => [group, metadata?.reason])).toEqual([
      ["g", "continued"],
      ["g", "continuation"],
      ["g", "continued"],
      ["g", "continuation"],
    ])
    expect(stage.faults).toEqual({})
    good(stage)
  },
)

overfill(["itemTextBytes"], "output that outgrows an item keeps its call", async () => {
  await using stage = await running()
  stage.say(() => {
    stage.sink.open({
      key: "r",
      kind: "tool_result",
      content: [{ type: "tool_result", call_id: "the call", output: "" }],
    })
    for (let i = 0; i < 3; i++) stage.sink.delta("r", { index: 0, type: "output" }, x(limits.itemTextBytes / 2))
    stage.sink.close("r", { status: "completed" })
  })
  const calls = stage
    .of("item.completed")
    .slice(1)
    .map(({ data }) => data.item.content[0])
  expect(calls).toMatchObject([{ call_id: "the call", truncated: true }, { call_id: "the call" }])
})

/** Three bytes each, one character each. */
const wide = (bytes: number) => "語".repeat(Math.ceil(bytes / 3))
const bytesOf = (value: unknown) => Buffer.byteLength(typeof value === "string" ? value : JSON.stringify(value))

overfill(
  ["toolOutputBytes", "deltaBytes", "itemTextBytes", "eventBytes", "unparsedLineBytes"],
  "bytes are counted, not characters",
  async () => {
    await using stage = await running()
    const { sink } = stage
    const long = wide(limits.toolOutputBytes + 3)
    stage.say(() => {
      const parts = [
        { type: "tool_result" as const, call_id: "c", output: long },
        { type: "file_ref" as const, path: "a", action: "patch" as const, diff: long },
      ]
      sink.close("r", { status: "completed", content: parts })
      sink.close("j", { status: "completed", content: [{ type: "json", json: long }] })
      sink.close("c", {
        status: "completed",
        content: [{ type: "tool_call", name: "T", arguments: long, call_id: "c" }],
      })
    })
    const cut = stage.of("item.completed").flatMap(({ data }) => data.item.content.slice(0, 2))
    expect(cut.length).toBeGreaterThan(3)
    for (const part of cut) expect(bytesOf(part), part.type).toBeLessThan(limits.toolOutputBytes + 1_000)

    stage.say(() => {
      sink.open({ key: "t", kind: "message", group: "g" })
      sink.delta("t", text, wide(limits.itemTextBytes + 9))
      sink.close("t", { status: "completed" })
    })
    const deltas = stage.of("item.delta").map(({ data }) => data.delta)
    expect(Math.max(...deltas.map(bytesOf))).toBeLessThanOrEqual(limits.deltaBytes)
    const texts = stage
      .of("item.completed")
      .map(({ data }) => data.item)
      .filter(({ group }) => group === "g")
      .map(({ content }) => (content[0]?.type === "text" ? content[0].text : ""))
    expect(texts.map(bytesOf)).toEqual([limits.itemTextBytes - (limits.itemTextBytes % 3), expect.any(Number)])
    expect(texts.join("")).toBe(wide(limits.itemTextBytes + 9))

    stage.say(() => sink.error({ message: wide(limits.eventBytes), details: { long: wide(limits.eventBytes) } }))
    expect(bytesOf(stage.of("error").at(-1)?.data)).toBeLessThanOrEqual(limits.eventBytes)

    stage.say(() => "unknown", long)
    const unknown = stage.of("item.completed").at(-1)?.data.item.content[0]
    expect(unknown).toEqual({ type: "text", text: wide(limits.unparsedLineBytes - 3) })
    good(stage)
  },
)

overfill(["eventBytes"], "any other payload is cut to it and keeps its shape", async () => {
  await using stage = await running()
  const long = x(limits.eventBytes)
  const { sink } = stage
  stage.say(() => {
    sink.error({ message: long, details: { long } })
    sink.plan(Array.from({ length: 3_000 }, () => ({ content: x(1_000), status: "pending" as const })))
    sink.session({ commands: Array.from({ length: 3_000 }, () => ({ name: x(1_000) })) })
    sink.ask({
      key: "p",
      type: "permission",
      kind: "command",
      action: long,
      detail: { command: long },
      metadata: { long },
      covers: [],
      always: [],
    })
    sink.open({ key: "m", kind: "message", metadata: { long } })
    sink.turnEnded({ stop: "error", error: { code: "boom", message: long } })
  })
  for (const event of stage.events())
    expect(JSON.stringify(event).length, event.type).toBeLessThan(limits.eventBytes * 1.1)
  good(stage) // which checks every payload against its schema
})

overfill(["titleChars"], "a longer title of the agent's is cut", async () => {
  await using stage = await running()
  stage.say(() => stage.sink.session({ title: x(limits.titleChars + 1) }))
  expect(stage.session.record.title).toHaveLength(limits.titleChars)
})

overfill(
  ["unparsedLineBytes"],
  "of a long line nobody understands the beginning is shown, raw has it all",
  async () => {
    await using stage = await running()
    const line = x(limits.toolOutputBytes + 1)
    stage.say(() => "unknown", line)
    const content = stage.of("item.completed").at(-1)?.data.item.content
    expect(content).toEqual([{ type: "text", text: x(limits.unparsedLineBytes) }])
    expect(stage.core.context.reader.rawLine(stage.session.record.uid, stage.session.rawCount)).toBe(line)
  },
)

overfill(
  ["openMs", "takenMs", "answerMs", "configureMs", "interruptMs", "attachmentFetchMs", "heldMs"],
  "are the deadlines of a daemon",
  async () => {
    const { openMs, takenMs, answerMs, configureMs, interruptMs, attachmentFetchMs, heldMs } = limits
    const { closeMs, terminateMs } = limits
    await using stage = await setStage()
    const deadlines = deadlinesOf(intervals)
    expect(stage.core.context.deadlines).toEqual({
      ...deadlines,
      openMs,
      takenMs,
      answerMs,
      configureMs,
      interruptMs,
      attachmentFetchMs,
      heldMs,
    })
    expect(deadlines.closeMs).toBeGreaterThan(closeMs + terminateMs)
  },
)

overfill(["heldMs"], "what is told goes on in order without a file that never comes", async () => {
  await using stage = await setStage({ deadlines: { heldMs: 5 } })
  await stage.running()
  const say = (text: string) => stage.sink.status(text)
  stage.say(() => {
    stage.sink.after(new Promise<string>(() => {}), (found) => say(`found ${found}`))
    say("the same line")
  })
  stage.say(() => say("the next line"))
  expect(stage.of("item.completed").filter(({ data }) => data.item.kind === "status")).toEqual([])
  await stage.session.held
  const labels = stage.of("item.completed").flatMap(({ data: { item } }) => {
    return item.content.flatMap((part) => (part.type === "status" ? [part.label] : []))
  })
  expect(labels).toEqual(["found undefined", "the same line", "the next line"].map((label) => `puppet.${label}`))
  good(stage)
})

overfill(["eventFieldBytes"], "in a payload that is too large short fields stay, longer ones are cut", () => {
  const field = (bytes: number) => x(bytes - 2) // with its quotes
  const data = {
    short: field(limits.eventFieldBytes),
    long: x(limits.eventFieldBytes + 1),
    rest: x(limits.eventBytes),
  }
  const cut = boundData(data)
  expect(cut.short).toBe(data.short)
  expect([cut.long, cut.rest]).toEqual([expect.stringContaining("cut"), expect.stringContaining("cut")])
})

overfill(["requestChars"], "longer words of a request are cut in the middle", async () => {
  await using stage = await running()
  const long = x(limits.requestChars + 1)
  stage.say(() => {
    stage.sink.ask({ key: "p", type: "permission", kind: "command", action: long, covers: [], always: [] })
    const part = { id: "q", prompt: long, type: "text" as const, options: [], multi_select: false, allow_other: true }
    stage.sink.ask({ key: "q", type: "question", questions: [part] })
  })
  const [asked] = stage.of("permission.requested")
  const [question] = stage.of("question.requested")
  for (const words of [asked?.data.action, question?.data.prompt]) {
    expect(words?.length).toBeLessThan(limits.requestChars + 100)
    expect(words).toContain("characters cut")
  }
  good(stage)
})

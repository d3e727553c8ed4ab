import { callLimits } from "@sandbox-agent/schema/driver-limits"
import { expect, test } from "vitest"
import { KnownTools } from "../../../src/drivers/acp/known-tools.ts"
import { weightOf } from "../../../src/drivers/acp/tool.ts"
import type { Step } from "../../hostile/puppet-agent.ts"
import { call, PuppetStage, update } from "./puppet-stage.ts"

const done = { status: "completed", rawOutput: "ok" }
const { waitingCalls, waitingInputChars } = callLimits

/** What is held of calls that were told of, and which the log was told to settle first. */
function known() {
  const settled: string[] = []
  const tools = new KnownTools(({ id }) => void settled.push(id))
  const tell = (id: string, more: object = {}) => {
    const tool = tools.take(id, { toolCallId: id, ...more }, false)
    tool.call = "open"
    tools.weigh(tool)
    return tool
  }
  const held = () => [...tools.all()].reduce((sum, tool) => sum + weightOf(tool), 0)
  return { tools, settled, tell, held }
}

test("of more calls than may wait the oldest is not known any more, one that is over before others", () => {
  const { tools, settled, tell } = known()
  for (let n = 0; n < waitingCalls; n++) tell(`c${n}`)
  const over = tools.get("c7")
  if (over !== undefined) over.result = "closed"
  tell("one more")
  tell("another")
  expect([...tools.all()].length).toBe(waitingCalls)
  expect(["c7", "c0", "c1"].map((id) => [tools.get(id) === undefined, tools.isPast(id)])).toEqual([
    [true, true],
    [true, true],
    [false, false],
  ])
  expect(settled).toEqual(["c0"])
})

test("those that are over are known for one more turn, and no more of them than may wait", () => {
  const { tools, tell } = known()
  for (let n = 0; n < 2 * waitingCalls; n++) tell(`c${n}`)
  tools.turnEnded()
  const past = (from: number) => Array.from({ length: waitingCalls }, (_, n) => tools.isPast(`c${from + n}`))
  expect([past(0).some(Boolean), past(waitingCalls).every(Boolean)]).toEqual([false, true])
  tools.turnEnded()
  expect(past(waitingCalls).some(Boolean)).toBe(false)
})

test.each([
  ["rawInput", (text: string) => ({ rawInput: { text } })],
  ["rawOutput", (text: string) => ({ rawOutput: text })],
  ["content", (text: string) => ({ content: [{ type: "content", content: { type: "text", text } }] })],
  ["a change", (newText: string) => ({ content: [{ type: "diff", path: "/a", newText }] })],
  ["title", (title: string) => ({ title })],
])("of %s no more is held than all calls may hold; the oldest is let go of first", (_, field) => {
  const { tools, settled, tell, held } = known()
  const eighth = "x".repeat(waitingInputChars / 8)
  for (let n = 0; n < 32; n++) {
    tell(`c${n}`, field(eighth))
    expect(held()).toBeLessThanOrEqual(waitingInputChars + eighth.length)
  }
  expect(settled[0]).toBe("c0")
  expect(weightOf(tools.get("c31") ?? tell("none"))).toBeGreaterThanOrEqual(eighth.length)
})

test("the output of terminals counts, too", () => {
  const { settled, tell, held, tools } = known()
  for (let n = 0; n < 32; n++) {
    const tool = tell(`c${n}`)
    tool.terminal.add("x".repeat(waitingInputChars / 8))
    tools.weigh(tool)
  }
  expect(held()).toBeLessThanOrEqual(waitingInputChars)
  expect(settled[0]).toBe("c0")
})

test("one call that is larger than all may be is whole as long as it is the last", () => {
  const { tell, held } = known()
  const tool = tell("large", { rawInput: { text: "x".repeat(waitingInputChars + 1) } })
  expect(held()).toBeGreaterThan(waitingInputChars)
  tell("next")
  expect(tool.input).toBeUndefined()
})

test("every call of a turn that had too many gets one result, and the turns go on", async () => {
  await using stage = new PuppetStage()
  await stage.open()
  const ids = Array.from({ length: waitingCalls + 8 }, (_, n) => `c${n}`)
  const running = { status: "in_progress", rawInput: { command: "x" } }
  await stage.play(...ids.map((id) => call(id, running)), ...ids.map((id) => update(id, done)))
  const results = stage.calls().filter((line) => line.startsWith("result"))
  expect(results.length).toBe(ids.length)
  expect(results.filter((line) => line.endsWith("no result: lost")).length).toBe(8)
  await stage.play(call("c0", running), update("c0", done))
  expect(stage.calls().at(-1)).toBe("result c0 ok")
  expect(stage.wrongs()).toEqual([])
})

test("a call whose arguments were let go of has them in the log, and gets its result", async () => {
  await using stage = new PuppetStage()
  await stage.open()
  const ids = Array.from({ length: 20 }, (_, n) => `c${n}`)
  const times = waitingInputChars / 17
  const begin = (id: string) =>
    `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"$SESSION","update":{"sessionUpdate":"tool_call","toolCallId":"${id}","rawInput":{"text":"`
  const filled = (id: string): Step => ({ begin: begin(id), middle: "x", times, end: '"}}}}' })
  await stage.play(...ids.map(filled), ...ids.map((id) => update(id, done)))
  const lines = stage.calls()
  expect(lines.filter((line) => /^result c\d+ ok$/.test(line)).length).toBe(ids.length)
  expect(lines.filter((line) => line.startsWith("call") && line.length > times).length).toBe(ids.length)
  expect(stage.wrongs()).toEqual([])
})

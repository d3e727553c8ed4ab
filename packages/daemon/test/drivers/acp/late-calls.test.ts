import { expect, test } from "vitest"
import { closeProcess } from "../../../src/core/process.ts"
import { call, PuppetStage, say, update } from "./puppet-stage.ts"

const running = { status: "in_progress", rawInput: { command: "npm test" } }
const done = { status: "completed", rawOutput: "3 passed" }

async function started() {
  const stage = new PuppetStage()
  await stage.open()
  return stage
}

/** So many results have come. */
const results = (stage: PuppetStage, count = 1) =>
  stage.until("item.completed", () => stage.calls().filter((line) => line.includes("result")).length >= count)

/** An item of this kind has begun. */
const begun = (stage: PuppetStage, kind: string) => stage.until("item.started", ({ data }) => data.item.kind === kind)

test("a call that begins after a turn gets its result after the next one", async () => {
  await using stage = await started()
  await stage.play({ late: [call("bg", running)] })
  await begun(stage, "tool_call")
  await stage.play(say("meanwhile"), { late: [update("bg", done)] })
  await results(stage)
  expect(stage.calls()).toEqual(['late call bg {"command":"npm test"}', "late result bg 3 passed"])
  expect(stage.wrongs()).toEqual([])
})

test("it gets its result within the next turn, too, and later turns know it is over", async () => {
  await using stage = await started()
  await stage.play({ late: [call("bg", running)] })
  await begun(stage, "tool_call")
  await stage.play(update("bg", done))
  await stage.play(update("bg", done), say("after"))
  expect(stage.calls()).toEqual(['late call bg {"command":"npm test"}', "result bg 3 passed"])
  expect(stage.wrongs()).toEqual([])
})

test("one that waits to begin waits over turns, and ends with its result", async () => {
  await using stage = await started()
  await stage.play({ late: [call("bg", { status: "pending" })] })
  await begun(stage, "tool_call")
  await stage.play(say("meanwhile"), { late: [update("bg", running), update("bg", done)] })
  await results(stage)
  expect(stage.calls()).toEqual(['late call bg {"command":"npm test"}', "late result bg 3 passed"])
  expect(stage.wrongs()).toEqual([])
})

test("output that it gives in a turn ends with the turn, and its result comes all the same", async () => {
  await using stage = await started()
  await stage.play({ late: [call("bg", running)] })
  await begun(stage, "tool_call")
  const more = (data: string) => update("bg", { _meta: { terminal_output_delta: { data } } })
  await stage.play(more("1 passed\n"), { late: [more("2 passed\n"), update("bg", { status: "completed" })] })
  await results(stage, 2)
  expect(stage.calls().slice(1)).toEqual(["result bg 1 passed\n", "late result bg 1 passed\n2 passed\n"])
})

test.each([
  ["begun", [call("bg", running)]],
  ["waiting to begin", [call("bg", { status: "pending" })]],
])("one that is %s when its agent is stopped gets a result that says so", async (_, late) => {
  await using stage = await started()
  await stage.play({ late })
  await begun(stage, "tool_call")
  await closeProcess(stage.session)
  expect(stage.calls().at(-1)).toBe("late result bg no result: agent stopped")
  expect(stage.wrongs()).toEqual([])
  await stage.play(say("again"))
  expect(stage.wrongs()).toEqual([])
})

const options = [{ optionId: "yes", name: "Yes", kind: "allow_once" }]
const toolCall = { toolCallId: "bg", title: "bg", kind: "execute", rawInput: { command: "npm test" } }

test("what is allowed outside a turn gets its result, then or when its agent stops", async () => {
  await using stage = await started()
  for (const [n, after] of [[update("bg", done)], []].entries()) {
    const asked = { request: "session/request_permission", params: { toolCall, options } }
    await stage.play({ late: [asked, ...after] })
    const { permission_id } = await stage.permission(n + 1)
    await stage.reply(permission_id, "once")
    if (n === 0) await results(stage)
    else await stage.play(say("next"))
  }
  await closeProcess(stage.session)
  expect(stage.calls().filter((line) => line.includes("result"))).toEqual([
    "late result bg 3 passed",
    "late result bg no result: agent stopped",
  ])
  expect(stage.wrongs()).toEqual([])
})

test("what is said outside a turn is whole at once when a call follows it, or the next turn", async () => {
  await using stage = await started()
  await stage.play({ late: [say("first"), call("bg", running), update("bg", done), say("second")] })
  await stage.until("item.delta", ({ data }) => data.delta === "second")
  await stage.play(say("in the turn"))
  const completed = stage.transcript().filter((line) => !line.startsWith("user"))
  expect(completed).toEqual([
    "assistant: first",
    "call execute",
    "result 3 passed",
    "assistant: second",
    "assistant: in the turn",
  ])
  expect(stage.wrongs()).toEqual([])
})

import { expect, test } from "vitest"
import type { Step } from "../../hostile/puppet-agent.ts"
import { call, PuppetStage, say, update } from "./puppet-stage.ts"

const done = { status: "completed", rawOutput: "ok" }
const whole = { path: "/a", content: "whole text" }
const options = [{ optionId: "yes", name: "Yes", kind: "allow_once" }]

async function played(...steps: Step[]) {
  const stage = new PuppetStage()
  await stage.open()
  await stage.play(...steps)
  return stage
}

test.each<[string, Step[]]>([
  ["it is said to run", [call("c", { status: "in_progress" }), update("c", { rawInput: whole })]],
  ["there is a part of them", [call("c", { rawInput: { path: "/a" } }), update("c", { rawInput: whole })]],
  [
    "it waits with a part",
    [call("c", { status: "pending", rawInput: { path: "/a" } }), update("c", { rawInput: whole })],
  ],
  ["it runs with none", [call("c", { status: "in_progress", rawInput: {} }), update("c", { rawInput: whole })]],
  ["its result comes with them", [call("c", { rawInput: { path: "/a" } }), update("c", { rawInput: whole, ...done })]],
])("arguments that come when %s are those of the call", async (_, steps) => {
  await using stage = await played(...steps, update("c", done))
  expect(stage.calls()).toEqual([`call c ${JSON.stringify(whole)}`, "result c ok"])
  expect(stage.wrongs()).toEqual([])
})

test("a call is seen at once, and its arguments as they come", async () => {
  await using stage = await played(
    call("c"),
    update("c", { rawInput: { path: "/a" } }),
    update("c", { rawInput: whole }),
    update("c", { rawInput: { ...whole } }),
    update("c", done),
  )
  const types = stage.events().flatMap((event) => {
    if (event.type === "item.delta") return `${event.data.reset ? "now" : "more"} ${event.data.delta}`
    if (event.type !== "item.started" && event.type !== "item.completed") return []
    return event.data.item.kind.startsWith("tool") ? `${event.type} ${event.data.item.kind}` : []
  })
  expect(types).toEqual([
    "item.started tool_call",
    'now {"path":"/a"}',
    `now ${JSON.stringify(whole)}`,
    "item.completed tool_call",
    "item.started tool_result",
    "item.completed tool_result",
  ])
})

test.each<[string, Step[]]>([
  ["runs", [update("c", { status: "in_progress" })]],
  ["has output", [update("c", { _meta: { terminal_output_delta: { data: "some" } } })]],
  ["may run or not", [{ request: "session/request_permission", params: { toolCall: { toolCallId: "c" }, options } }]],
  ["has one within it", [call("inner", { _meta: { parentToolCallId: "c" } })]],
  [
    "has words within it",
    [
      {
        update: {
          sessionUpdate: "agent_message_chunk",
          content: { type: "text", text: "x" },
          _meta: { parentToolCallId: "c" },
        },
      },
    ],
  ],
])("arguments are final when the call %s", async (_, steps) => {
  const stage = new PuppetStage()
  await using __ = stage
  await stage.open()
  const turn = stage.play(
    call("c", { rawInput: whole }),
    ...steps,
    update("c", { rawInput: { path: "/b" } }),
    update("c", done),
  )
  await Promise.race([turn, stage.permission().then(({ permission_id }) => stage.reply(permission_id, "once"))])
  await turn
  expect(stage.calls()[0]).toBe(`call c ${JSON.stringify(whole)}`)
})

test("of a call of which no more is told they are those it has when the turn ends", async () => {
  await using stage = await played(call("c", { rawInput: whole }), say("done"))
  const [made] = stage.items().filter(({ kind }) => kind === "tool_call")
  expect(made?.status).toBe("completed")
  expect(stage.calls()).toEqual([`call c ${JSON.stringify(whole)}`, "result c no result: lost"])
  expect(stage.wrongs()).toEqual([])
})

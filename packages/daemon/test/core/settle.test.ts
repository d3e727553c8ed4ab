import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { expect, test } from "vitest"
import { terminateSession } from "../../src/core/ending.ts"
import { checkLog } from "./checks.ts"
import { type Stage, setStage } from "./stage.ts"

const call = (id: string) => [{ type: "tool_call" as const, name: "T", arguments: "{}", call_id: id }]

/** A turn with everything open: two requests, a message, a call with a child, a call that is done. */
async function busy(): Promise<Stage> {
  const stage = await setStage()
  await stage.running()
  const { sink } = stage
  stage.say(() => {
    sink.open({ key: "parent", kind: "message" })
    sink.delta("parent", { index: 0, type: "text" }, "so far")
    sink.open({ key: "done", kind: "tool_call", parent: "parent", content: call("done") })
    sink.close("done", { status: "completed" })
    sink.open({ key: "open", kind: "tool_call", parent: "parent", content: call("open") })
    sink.open({ key: "child", kind: "message", parent: "open" })
    sink.ask({ key: "p", call: "done", type: "permission", kind: "command", action: "Run", covers: [], always: ["r"] })
    sink.ask({ key: "q", type: "question", questions: [] })
    sink.ask({ key: "b", type: "question", questions: [], background: true })
  })
  stage.core.context.store.flush()
  return stage
}

function since(stage: Stage, sequence: number): string[] {
  return stage.events().flatMap((event) => {
    if (event.sequence <= sequence) return []
    switch (event.type) {
      case "item.completed": {
        const { item } = event.data
        const part = item.content[0]
        return [
          `${item.native_item_id ?? (part?.type === "tool_result" ? part.call_id : "")} ${item.kind} ${item.status} ${item.metadata?.reason}`,
        ]
      }
      case "permission.resolved":
      case "question.resolved":
        return [`${event.type} ${event.data.status} ${event.data.reason}`]
      case "turn.ended":
        return [`turn.ended ${event.data.stop_reason}`]
      case "message.updated":
        return [`message ${event.data.state}`]
      case "session.updated":
        return event.data.status === undefined ? [] : [`status ${event.data.status}`]
      case "session.ended":
        return ["session.ended"]
      default:
        return []
    }
  })
}

const settled = (reason: string) => [
  `permission.resolved cancelled ${reason}`,
  `question.resolved cancelled ${reason}`,
  `child message failed ${reason}`,
  `open tool_call failed ${reason}`,
  `parent message failed ${reason}`,
  `done tool_result failed ${reason}`,
  `open tool_result failed ${reason}`,
]

test("the end of a turn: requests, children before parents, missing results, the end; background stays", async () => {
  await using stage = await busy()
  const { last } = stage.session.log
  const before = stage.core.context.store.stats.commits
  stage.say(() => stage.sink.turnEnded({ stop: "end_turn" }))
  expect(since(stage, last)).toEqual([...settled("lost"), "turn.ended end_turn"])
  expect(stage.core.context.store.stats.commits - before).toBe(1)
  expect([...stage.session.requests.values()].map(({ native }) => native.key)).toEqual(["b"])
  expect(stage.session.status).toBe("waiting")
  expect(stage.faults).toEqual({ request_left_open: 2 })
  expect(checkLog(stage.events(), { open: true })).toEqual([])
})

test("the loss of the agent takes everything, in one commit", async () => {
  await using stage = await busy()
  await stage.post("waits")
  const { last } = stage.session.log
  stage.core.context.store.flush()
  const before = stage.core.context.store.stats.commits
  stage.sink.gone({ code: 3, stderr: { head: "no!", truncated: false } })
  const log = since(stage, last)
  expect(stage.core.context.store.stats.commits - before).toBe(1)
  expect(log.slice(0, 2)).toEqual(settled("lost").slice(0, 2))
  expect(log[2]).toBe("question.resolved cancelled lost") // the background's
  expect(log.slice(3, 9)).toEqual([...settled("lost").slice(2), "turn.ended error"])
  const ended = stage.of("turn.ended")[0]?.data
  expect(ended?.error).toMatchObject({ code: "agent_process_exited", exit_code: 3, stderr: { head: "no!" } })
  expect(stage.session.status).toBe("running") // the message that waited has its turn, with a new process
  expect(stage.of("session.ended")).toEqual([])
})

test("terminate: the same, then the queue is withdrawn and the session ends", async () => {
  await using stage = await busy()
  const { messageId } = await stage.post("waits")
  const { last } = stage.session.log
  await terminateSession(stage.session)
  const log = since(stage, last)
  expect(log[0]).toBe("message withdrawn")
  expect(log.at(-1)).toBe("session.ended")
  expect(log.at(-2)).toBe("turn.ended cancelled")
  expect(stage.of("turn.ended")[0]?.data.forced).toBe(true)
  expect(stage.of("message.updated").at(-1)?.data).toMatchObject({ message_id: messageId, state: "withdrawn" })
  expect(checkLog(stage.events())).toEqual([])
})

test("a message in flight fails when its agent is lost, and is not sent again", async () => {
  await using stage = await setStage()
  const { messageId } = await stage.post("never taken")
  await stage.puppet.until("send")
  stage.sink.gone({ signal: "SIGKILL" })
  await stage.until("message.updated", ({ data }) => data.state === "failed")
  expect(stage.of("message.updated").at(-1)?.data).toMatchObject({
    message_id: messageId,
    error: { code: "agent_process_exited" },
  })
  expect(stage.of("turn.ended")[0]?.data.error?.message).toContain("SIGKILL")
  expect(stage.puppet.openings).toHaveLength(1)
  expect(checkLog(stage.events())).toEqual([])
})

test("a message that a living agent refuses takes nothing else from it", async () => {
  const refusal = new SandboxAgentError("invalid_request", "too long")
  await using stage = await setStage({ behaviour: { send: () => Promise.reject(refusal) } })
  const covers = { covers: [], always: [] }
  stage.say(() => {
    stage.sink.open({ key: "late", kind: "tool_call" })
    stage.sink.ask({ key: "k", type: "permission", kind: "tool", action: "Tool", background: true, ...covers })
  })
  await stage.post("hi")
  await stage.until("turn.ended")
  expect([stage.session.requests.size, stage.session.items.size]).toEqual([1, 1])
  // Of one that is gone nothing more comes.
  stage.sink.gone({ code: 1 })
  expect([stage.session.requests.size, stage.session.items.size]).toEqual([0, 0])
})

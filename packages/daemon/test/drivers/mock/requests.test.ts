import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import type { NativeAnswer } from "../../../src/core/driver.ts"
import type { NativeRequest } from "../../../src/core/driver-sink.ts"
import { textOf, textsOf } from "./items.ts"
import { openSession, type SessionOptions } from "./session.ts"

/** Runs a script, answers its one request, and gives what was asked and what came of it. */
async function answered(script: string, answer: NativeAnswer, options: SessionOptions = {}) {
  const session = await openSession(options)
  const from = await session.start(script)
  const [request] = await session.recorder.until("ask", undefined, from)
  const beforeAnswer = session.recorder.calls.slice(from).map(({ name }) => name)
  await session.native.answer(request.key, answer)
  return { session, request, beforeAnswer, ...(await session.finish(from)) }
}

const callId = (request: NativeRequest) => request.call ?? "none"

describe("/permission", () => {
  test("asks when the call is complete, and runs the command when accepted", async () => {
    const { request, items, beforeAnswer } = await answered("/permission echo ran", {
      kind: "permission",
      reply: "once",
    })
    expect(request).toEqual({
      key: expect.any(String),
      call: expect.any(String),
      type: "permission",
      kind: "command",
      action: "Run echo ran",
      detail: { command: "echo ran" },
      covers: ["command:echo ran"],
      always: ["command:echo ran"],
    })
    expect(beforeAnswer.filter((name) => name === "open" || name === "close" || name === "ask")).toEqual([
      "open",
      "close",
      "ask",
    ])
    expect(items[0]?.end?.content?.[0]).toMatchObject({ type: "tool_call", call_id: callId(request) })
    expect(items[1]?.end?.content?.[0]).toEqual({ type: "tool_result", call_id: callId(request), output: "ran\n" })
  })

  test.each([
    ["not now", "Permission denied: not now"],
    [undefined, "Permission denied."],
  ])("a refusal with message %j is a failed result, nothing runs, the turn goes on", async (message, output) => {
    const refusal: NativeAnswer = { kind: "permission", reply: "reject", message }
    const { session, items, end } = await answered("/permission touch ran\n/echo on", refusal)
    expect(existsSync(join(session.directory, "ran"))).toBe(false)
    expect(items[1]?.end).toMatchObject({
      status: "failed",
      content: [{ type: "tool_result", output, is_error: true }],
    })
    expect(textsOf(items)).toEqual(["on"])
    expect(end.stop).toBe("end_turn")
  })
})

describe.each(["default", "acceptEdits", "plan"] as const)("permission mode %s", (permissionMode) => {
  const options: SessionOptions = { settings: { permissionMode } }

  test("/edit asks first, with path and diff", async () => {
    const refusal: NativeAnswer = { kind: "permission", reply: "reject" }
    const { session, request, items } = await answered("/edit a.txt hello", refusal, options)
    const path = join(session.directory, "a.txt")
    expect(request).toMatchObject({
      type: "permission",
      kind: "file_change",
      action: "Edit a.txt",
      detail: { path, diff: expect.stringContaining("+++ b/a.txt\n@@ -0,0 +1,1 @@\n+hello") },
      covers: [`file_change:${path}`],
    })
    expect(existsSync(path)).toBe(false)
    expect(items[1]?.end?.content).toHaveLength(1)
  })

  test("/edit writes when allowed", async () => {
    const { session } = await answered("/edit a.txt hello", { kind: "permission", reply: "once" }, options)
    expect(existsSync(join(session.directory, "a.txt"))).toBe(true)
  })

  test("/run asks first", async () => {
    const { request, items } = await answered("/run echo ran", { kind: "permission", reply: "once" }, options)
    expect(request).toMatchObject({ type: "permission", kind: "command", covers: ["command:echo ran"] })
    expect(textOf(items[1])).toBe("ran\n")
  })
})

test("in permission mode bypass neither /edit nor /run asks", async () => {
  const session = await openSession({ settings: { permissionMode: "bypass" } })
  const { calls, end } = await session.run("/edit a.txt hello\n/run true")
  expect(calls.some(({ name }) => name === "ask")).toBe(false)
  expect(end.stop).toBe("end_turn")
})

describe("questions", () => {
  test("/question has three choices and says which was chosen", async () => {
    const { request, items } = await answered("/question", { kind: "question", answers: [["Green"]] })
    if (request.type !== "question") throw new Error("not a question")
    expect(request.purpose).toBeUndefined()
    expect(request.questions).toHaveLength(1)
    expect(request.questions[0]).toMatchObject({ type: "choice", multi_select: false, allow_other: false })
    expect(request.questions[0]?.options.map(({ label }) => label)).toEqual(["Red", "Green", "Blue"])
    expect(textsOf(items)).toEqual(["You chose: Green"])
  })

  test("/questions asks for a choice, several choices and a text", async () => {
    const answers = [["Large"], ["Cheese", "Olives"], ["no onions"]]
    const { request, items } = await answered("/questions", { kind: "question", answers })
    if (request.type !== "question") throw new Error("not a question")
    expect(request.questions.map(({ type, multi_select, allow_other }) => [type, multi_select, allow_other])).toEqual([
      ["choice", false, false],
      ["choice", true, false],
      ["text", false, true],
    ])
    expect(JSON.parse(textsOf(items)[0] ?? "")).toEqual(answers)
  })

  test.each(["/question", "/questions"])("%s rejected is told, and the turn goes on", async (script) => {
    const { items } = await answered(`${script}\n/echo on`, { kind: "question_rejected", message: "ask later" })
    expect(textsOf(items)).toEqual(["Question rejected: ask later", "on"])
  })
})

describe("/plan", () => {
  const approve: NativeAnswer = { kind: "question", answers: [["Approve"]] }

  test("is a question for approval", async () => {
    const { request, items, calls } = await answered("/plan", approve)
    if (request.type !== "question") throw new Error("not a question")
    expect(request.purpose).toBe("plan_approval")
    expect(request.questions[0]?.options.map(({ label }) => label)).toEqual(["Approve", "Reject"])
    expect(request.questions[0]?.allow_other).toBe(true)
    expect(textsOf(items)).toEqual(["Plan approved."])
    expect(calls.some((call) => call.name === "session" && call.args[0].permissionMode !== undefined)).toBe(false)
  })

  test("approved in permission mode plan, the agent leaves it", async () => {
    const { calls } = await answered("/plan", approve, { settings: { permissionMode: "plan" } })
    expect(calls).toContainEqual({ name: "session", args: [{ permissionMode: "default" }] })
  })

  test.each<[NativeAnswer, string]>([
    [{ kind: "question_rejected", message: "smaller" }, "Plan rejected: smaller"],
    [{ kind: "question_rejected" }, "Plan rejected."],
    [{ kind: "question", answers: [["Reject"]] }, "Plan rejected."],
    [{ kind: "question", answers: [["Reject", "smaller"]] }, "Plan rejected: smaller"],
    [{ kind: "question", answers: [["do it in two steps"]] }, "Plan rejected: do it in two steps"],
  ])("%j is a rejection and leaves the mode as it is", async (answer, text) => {
    const { items, calls } = await answered("/plan", answer, { settings: { permissionMode: "plan" } })
    expect(textsOf(items)).toEqual([text])
    expect(calls.some((call) => call.name === "session" && call.args[0].permissionMode !== undefined)).toBe(false)
  })
})

test("an answer nobody waits for comes to nothing", async () => {
  const session = await openSession()
  await session.native.answer("no-such-key", { kind: "permission", reply: "once" })
  expect(textsOf((await session.run("still here")).items)).toEqual(["still here"])
})

import { existsSync } from "node:fs"
import type { ModelRequest } from "@sandbox-agent/scripted-model/request"
import { reply, toolCall } from "@sandbox-agent/scripted-model/script"
import { versions } from "@sandbox-agent/test-agents/claude"
import { describe, expect, test } from "vitest"
import { rejectQuestion } from "../../../src/core/replies.ts"
import { startLive } from "./live.ts"

const questions = [
  {
    question: "Which database?",
    header: "Database",
    multiSelect: false,
    options: [
      { label: "SQLite", description: "a file" },
      { label: "Postgres", description: "a server" },
    ],
  },
  {
    question: "Which features?",
    header: "Features",
    multiSelect: true,
    options: [
      { label: "Auth", description: "a" },
      { label: "Export", description: "e" },
    ],
  },
]
const ask = reply(toolCall("AskUserQuestion", { questions }))

/** The model is told in its system text where to write the plan. */
const planFile = (request: ModelRequest): string =>
  /\/[^\s"\\]*plans\/[^\s"\\]+\.md/.exec(JSON.stringify(request.body))?.[0] ?? "/nowhere"
const writePlan = (request: ModelRequest) =>
  reply(toolCall("Write", { file_path: planFile(request), content: "# My plan" }))
const exitPlan = reply(toolCall("ExitPlanMode", {}))

describe.each(versions)("claude %s", (version) => {
  test("questions are answered by label or in own words", async () => {
    await using live = await startLive([ask, "thanks", ask, "fine", ask, "as you like"], { version })
    const turn = live.run("ask me")
    const asked = await live.question()
    expect(asked.questions).toMatchObject([
      { prompt: "Which database?", header: "Database", multi_select: false, allow_other: true },
      { prompt: "Which features?", multi_select: true, options: [{ label: "Auth" }, { label: "Export" }] },
    ])
    expect(live.session.status).toBe("waiting")
    await live.answer(asked.question_id, [["SQLite"], ["Auth", "Export"]])
    await turn
    const results = () => live.items().flatMap(({ content }) => content.filter((part) => part.type === "tool_result"))
    expect(results()[0]?.output).toMatch(/"Which database\?"="SQLite".*"Which features\?"="Auth, Export"/)

    const second = live.run("again")
    await live.answer((await live.question(2)).question_id, [["DuckDB"], []])
    await second
    expect(results()[1]?.output).toContain("DuckDB")
    const third = live.run("once more")
    await rejectQuestion(live.session, (await live.question(3)).question_id, "decide yourself")
    expect(await third).toMatchObject({ stop_reason: "end_turn" })
    expect(results()[2]).toMatchObject({ is_error: true, output: expect.stringContaining("decide yourself") })
    expect(live.wrongs()).toEqual([])
  })

  test("a plan is shown, sent back with a remark, approved, and carried out", async () => {
    const touch = reply(toolCall("Bash", { command: "touch built" }))
    await using live = await startLive([writePlan, exitPlan, exitPlan, touch, "built"], {
      version,
      create: { permissionMode: "plan" },
    })
    const turn = live.run("plan it")
    const first = await live.question()
    expect(first).toMatchObject({ purpose: "plan_approval", prompt: "# My plan", options: ["Approve", "Reject"] })
    await live.answer(first.question_id, [["more detail please"]])
    const second = await live.question(2)
    await live.answer(second.question_id, [["Approve"]])
    const asked = await live.permission()
    expect(live.session.record.permissionMode).toBe("default")
    await live.reply(asked.permission_id, "once")
    expect(await turn).toMatchObject({ stop_reason: "end_turn" })
    expect(existsSync(live.file("built"))).toBe(true)
    expect(JSON.stringify(live.model.requests[2]?.body).includes("more detail please")).toBe(true)
    expect(live.of("session.updated").flatMap(({ data }) => data.permission_mode ?? [])).toEqual(["default"])
    expect(live.wrongs()).toEqual([])
  })
})

test("a plan mode the model enters by itself is the session's, until the plan is approved", async () => {
  const enter = reply(toolCall("EnterPlanMode", {}))
  const touch = (name: string) => reply(toolCall("Bash", { command: `touch ${name}` }))
  await using live = await startLive([enter, touch("a"), writePlan, exitPlan, touch("b"), "built"], {
    create: { permissionMode: "bypass" },
  })
  const turn = live.run("think first")
  const asked = await live.question()
  expect(live.session.record.permissionMode).toBe("plan")
  await live.answer(asked.question_id, [["Approve"]])
  await turn
  expect(existsSync(live.file("a"))).toBe(false)
  expect(existsSync(live.file("b"))).toBe(true)
  expect(live.session.record.permissionMode).toBe("bypass")
  expect(live.wrongs()).toEqual([])
})

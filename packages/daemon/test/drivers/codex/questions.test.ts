import { reply, toolCall } from "@sandbox-agent/scripted-model/script"
import { describe, expect, test } from "vitest"
import { rejectQuestion, replyPermission, replyQuestion } from "../../../src/core/replies.ts"
import { labServer } from "./mcp-server.ts"
import { sharedLive } from "./shared-live.ts"

const shared = sharedLive()
const option = (label: string) => ({ label, description: `The ${label}` })
const asking = {
  id: "db",
  header: "Database",
  question: "Which database?",
  options: ["Postgres", "SQLite"].map(option),
}
const ask = reply(toolCall("request_user_input", { questions: [asking] }))

describe("questions", { timeout: 180_000 }, () => {
  test.each(["build", "plan"])("come in agent mode %s, and take words of one's own", async (agentMode) => {
    const { live } = shared
    const session = await live.open([ask, "thanks"], { agentMode, permissionMode: "bypass" })
    const turn = live.run("go", session)
    const question = await live.question(1, session)
    expect(question).toMatchObject({ prompt: "Which database?", options: ["Postgres", "SQLite"] })
    expect(question.questions[0]).toMatchObject({ id: "db", header: "Database", type: "choice", allow_other: true })
    await replyQuestion(session, question.question_id, [["SQLite", "but a small one"]])
    expect(await turn).toMatchObject({ stop_reason: "end_turn" })
    const reported = JSON.stringify(live.requests(session).at(-1)?.body.input)
    expect(["SQLite", "user_note: but a small one"].filter((words) => !reported.includes(words))).toEqual([])
    expect(live.transcript(session)).toEqual([
      ...["user: go", "call request_user_input"],
      expect.stringContaining("user_note: but a small one"),
      "assistant: thanks",
    ])
    expect(live.wrongs()).toEqual([])
  })

  test("a rejected one goes back with the words, and the model goes on", async () => {
    const { live } = shared
    const session = await live.open([ask, "as you like"])
    const turn = live.run("go", session)
    const { question_id } = await live.question(1, session)
    await rejectQuestion(session, question_id, "ask somebody else")
    expect(await turn).toMatchObject({ stop_reason: "end_turn" })
    expect(JSON.stringify(live.requests(session).at(-1)?.body.input)).toContain("ask somebody else")
    expect(live.wrongs()).toEqual([])
  })

  test("a form of an MCP server is a question, field by field", async () => {
    const { live } = shared
    const call = reply(toolCall("ask", {}, { namespace: "mcp__lab" }))
    const mcp = { lab: labServer(live.directory) }
    const session = await live.open([call, "done", call, "done"], { mcp, permissionMode: "acceptEdits" })
    const turn = live.run("go", session)
    // First the permission to call it at all.
    const { permission_id } = await live.permission(1, session)
    await replyPermission(session, permission_id, "always")
    const { question_id, questions } = await live.question(1, session)
    // Codex tells them by name.
    expect(questions.map(({ id, type, multi_select, required }) => [id, type, multi_select, required])).toEqual([
      ["colours", "choice", true, false],
      ["count", "number", false, false],
      ["name", "text", false, true],
      ["size", "choice", false, false],
      ["sure", "boolean", false, false],
    ])
    await replyQuestion(session, question_id, [["red", "green"], ["3"], ["Ann"], ["L"], ["true"]])
    await turn
    const content = { name: "Ann", size: "L", colours: ["red", "green"], sure: true, count: 3 }
    const result = live.transcript(session).find((line) => line.startsWith("result"))
    expect(JSON.parse(result?.slice("result ".length) ?? "")).toMatchObject({ action: "accept", content })
    const again = live.run("again", session)
    await rejectQuestion(session, (await live.question(2, session)).question_id)
    expect(await again).toMatchObject({ stop_reason: "end_turn" })
    expect(live.transcript(session).at(-2)).toContain('"action":"decline"')
    expect(live.wrongs()).toEqual([])
  })
})

import { existsSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type CheckedDaemon, startChecked } from "./checked-api.ts"
import { expectProblem } from "./contract-check.ts"
import { itemsOf, ofType, outputOf, textOf } from "./transcript.ts"

let daemon: CheckedDaemon
beforeAll(async () => {
  daemon = await startChecked()
})
afterAll(() => daemon.finish())

const reply = (id: string, permission: string, body: Record<string, unknown>) =>
  daemon.api.ok<{ permission: unknown }>("POST", `/v1/sessions/${id}/permissions/${permission}/reply`, body)
const answer = (id: string, question: string, answers: string[][]) =>
  daemon.api.ok<{ question: unknown }>("POST", `/v1/sessions/${id}/questions/${question}/reply`, { answers })
const made = (name: string) => existsSync(join(daemon.dataDir, name))

describe("permission", () => {
  test("once: complete in itself, waits, runs after the answer", async () => {
    const { api } = daemon
    await api.create("once")
    const turn = api.turn("once", "let me look\n/permission touch once-ran && echo done")
    const asked = await api.permission("once")
    const command = "touch once-ran && echo done"
    expect(asked).toMatchObject({
      status: "requested",
      kind: "command",
      action: `Run ${command}`,
      detail: { command },
      choices: ["once", "always", "reject"],
    })
    expect(await api.session("once")).toMatchObject({ status: "waiting", pending: { permissions: 1, questions: 0 } })
    expect(await api.ok("GET", "/v1/sessions/once/pending")).toEqual({ permissions: [asked], questions: [] })
    expect(made("once-ran")).toBe(false)

    const resolved = { ...asked, status: "accept", by: "client" }
    expect(await reply("once", asked.permission_id, { reply: "once" })).toEqual({ permission: resolved })
    const events = await turn
    expect(outputOf(events)).toEqual(["done\n"])
    expect(made("once-ran")).toBe(true)
    expect(ofType(events, "permission.resolved")).toMatchObject([{ data: resolved, source: "daemon" }])
    const call = itemsOf(events).find((item) => item.kind === "tool_call")
    expect([asked.item_id, asked.turn_id]).toEqual([call?.item_id, call?.turn_id])
    expect(ofType(events, "session.updated").map((event) => event.data.status)).toEqual(["waiting", "running"])
    expect(await api.ok("GET", "/v1/sessions/once/pending")).toEqual({ permissions: [], questions: [] })
  })

  test("always: the same command is not asked again in this session, and the log says why", async () => {
    const { api } = daemon
    for (const id of ["always", "always-other"]) await api.create(id)
    const first = api.turn("always", "/permission echo same")
    const { permission_id } = await api.permission("always")
    expect(await reply("always", permission_id, { reply: "always" })).toMatchObject({
      permission: { status: "accept_for_session" },
    })
    await first
    const again = await api.turn("always", "/permission echo same")
    expect(outputOf(again)).toEqual(["same\n"])
    expect(ofType(again, "permission.requested").length).toBe(1)
    expect(ofType(again, "permission.resolved")).toMatchObject([
      { data: { status: "accept", by: "rule", reason: expect.any(String) } },
    ])

    for (const [id, command] of [
      ["always", "echo other"],
      ["always-other", "echo same"],
    ] as const) {
      const { lastSequence } = await api.session(id)
      const turn = api.turn(id, `/permission ${command}`)
      await reply(id, (await api.permission(id, lastSequence)).permission_id, { reply: "reject" })
      expect((await turn).at(-1)).toMatchObject({ data: { stop_reason: "end_turn" } })
    }
  })

  test("always outlives the agent's process", async () => {
    const { api } = daemon
    await api.create("always-crash")
    const first = api.turn("always-crash", "/permission true")
    await reply("always-crash", (await api.permission("always-crash")).permission_id, { reply: "always" })
    await first
    await api.turn("always-crash", "/crash 1")
    const again = await api.turn("always-crash", "/permission true")
    expect(ofType(again, "permission.resolved")).toMatchObject([{ data: { by: "rule" } }])
  })

  test("reject: the tool fails with the message, the agent goes on", async () => {
    const { api } = daemon
    await api.create("reject")
    const turn = api.turn("reject", "/permission touch reject-ran\n/echo going on")
    const { permission_id } = await api.permission("reject")
    const resolved = await reply("reject", permission_id, { reply: "reject", message: "not in this house" })
    expect(resolved).toMatchObject({ permission: { status: "reject", by: "client", message: "not in this house" } })
    const events = await turn
    expect(itemsOf(events).find((item) => item.kind === "tool_result")).toMatchObject({
      status: "failed",
      content: [{ output: "Permission denied: not in this house", is_error: true }],
    })
    expect(textOf(events)).toBe("going on")
    expect(made("reject-ran")).toBe(false)
  })

  test("the first answer decides; a second is told what was decided", async () => {
    const { api } = daemon
    await api.create("second")
    const turn = api.turn("second", "/permission true")
    const { permission_id } = await api.permission("second")
    const path = `/v1/sessions/second/permissions/${permission_id}/reply`
    const both = await Promise.all(["once", "reject"].map((word) => api.call("POST", path, { reply: word })))
    const [won, lost] = both[0]?.status === 200 ? both : both.toReversed()
    if (won === undefined || lost === undefined) throw new Error("not two answers")
    expect(won.status).toBe(200)
    expectProblem(lost, "conflict")
    const { permission } = won.body as { permission: Record<string, unknown> }
    expect(lost.body).toMatchObject({ sessionId: "second", resolution: permission })
    await turn
    expectProblem(await api.call("POST", path, { reply: "once" }), "conflict")
    expectProblem(await api.call("POST", path.replace("permissions", "questions"), { answers: [] }), "not_found")
  })
})

describe("question", () => {
  test("one choice", async () => {
    const { api } = daemon
    await api.create("choice")
    const turn = api.turn("choice", "/question")
    const asked = await api.question("choice")
    expect(asked).toMatchObject({ prompt: "Which color?", options: ["Red", "Green", "Blue"], status: "requested" })
    expect(await api.ok("GET", "/v1/sessions/choice/pending")).toEqual({ permissions: [], questions: [asked] })
    expect(await api.session("choice")).toMatchObject({ status: "waiting", pending: { permissions: 0, questions: 1 } })
    const { question } = await answer("choice", asked.question_id, [["Green"]])
    expect(question).toEqual({ ...asked, status: "answered", answers: [["Green"]], response: "Green" })
    expect(textOf(await turn)).toBe("You chose: Green")
  })

  test("several at once, one with many answers, one with free text", async () => {
    const { api } = daemon
    await api.create("several")
    const turn = api.turn("several", "/questions")
    const { question_id, questions } = await api.question("several")
    expect(questions.map((part) => [part.type, part.multi_select])).toEqual([
      ["choice", false],
      ["choice", true],
      ["text", false],
    ])
    const given = [["Large"], ["Cheese", "Olives"], ["no onions, please"]]
    await answer("several", question_id, given)
    expect(textOf(await turn)).toBe(JSON.stringify(given))
  })

  test.each([
    { wrong: "too few", answers: [["Small"]] },
    { wrong: "too many", answers: [["Small"], [], [], []] },
    { wrong: "not an option", answers: [["Huge"], [], []] },
    { wrong: "two where one is allowed", answers: [["Small", "Large"], [], []] },
    { wrong: "no arrays", answers: ["Small"] },
    { wrong: "numbers", answers: [[1], [], []] },
  ])("answers of the wrong shape ($wrong) are refused and the question stays open", async ({ wrong, answers }) => {
    const { api } = daemon
    const id = `wrong-${wrong.replaceAll(" ", "-")}`
    await api.create(id)
    const turn = api.turn(id, "/questions")
    const asked = await api.question(id)
    expectProblem(
      await api.call("POST", `/v1/sessions/${id}/questions/${asked.question_id}/reply`, { answers }),
      "invalid_request",
    )
    expect(await api.ok("GET", `/v1/sessions/${id}/pending`)).toEqual({ permissions: [], questions: [asked] })
    await api.ok("POST", `/v1/sessions/${id}/questions/${asked.question_id}/reject`)
    expect(textOf(await turn)).toBe("Question rejected.")
  })

  test("rejected with a word, and not answered after that", async () => {
    const { api } = daemon
    await api.create("refused")
    const turn = api.turn("refused", "/question")
    const { question_id } = await api.question("refused")
    const path = `/v1/sessions/refused/questions/${question_id}`
    expect(await api.ok("POST", `${path}/reject`, { message: "ask me later" })).toMatchObject({
      question: { status: "rejected", message: "ask me later" },
    })
    expect(textOf(await turn)).toBe("Question rejected: ask me later")
    const late = await api.call("POST", `${path}/reply`, { answers: [["Red"]] })
    expectProblem(late, "conflict")
    expect(late.body).toMatchObject({ resolution: { status: "rejected" } })
  })
})

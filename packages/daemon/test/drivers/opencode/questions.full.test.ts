import { reply, toolCall } from "@sandbox-agent/scripted-model/script"
import { describe, expect, test } from "vitest"
import { cancelTurn } from "../../../src/core/cancel.ts"
import { rejectQuestion, replyQuestion } from "../../../src/core/replies.ts"
import { sharedLive } from "./shared-live.ts"

const shared = sharedLive()
const asking = (question: string, more: object = {}) => ({
  question,
  header: "Header",
  options: [
    { label: "Red", description: "warm" },
    { label: "Blue", description: "cool" },
  ],
  ...more,
})
const ask = (...questions: object[]) => reply(toolCall("question", { questions } as never))

describe("questions", { timeout: 180_000 }, () => {
  test("are answered by label, by several labels and in own words", async () => {
    const { live } = shared
    const script = [ask(asking("One?"), asking("Many?", { multiple: true }), asking("Free?")), "thanks"]
    const session = await live.open(script, { permissionMode: "bypass" })
    const turn = live.run("ask me", session)
    const asked = await live.question(1, session)
    expect(asked.questions).toMatchObject([
      {
        prompt: "One?",
        header: "Header",
        multi_select: false,
        allow_other: true,
        options: [{ label: "Red" }, { label: "Blue" }],
      },
      { prompt: "Many?", multi_select: true },
      { prompt: "Free?" },
    ])
    expect(session.status).toBe("waiting")
    await replyQuestion(session, asked.question_id, [["Red"], ["Red", "Blue"], ["my own words"]])
    expect(await turn).toMatchObject({ stop_reason: "end_turn" })
    expect(live.results(session)[0]?.output).toMatch(/"One\?"="Red".*"Many\?"="Red, Blue".*"Free\?"="my own words"/)
    expect(live.wrongs()).toEqual([])
  })

  test("that are rejected leave the model to go on, and a reason reaches it", async () => {
    const { live } = shared
    const session = await live.open([ask(asking("One?")), "went on", ask(asking("Two?")), "and on"])
    const first = live.run("ask me", session)
    await rejectQuestion(session, (await live.question(1, session)).question_id)
    expect(await first).toMatchObject({ stop_reason: "end_turn" })
    expect(live.transcript(session).at(-1)).toBe("assistant: went on")
    const second = live.run("again", session)
    await rejectQuestion(session, (await live.question(2, session)).question_id, "ask somebody else")
    await second
    expect(live.results(session).map(({ output }) => output)).toEqual([
      expect.stringContaining("dismissed"),
      expect.stringContaining("ask somebody else"),
    ])
    expect(live.of("question.resolved", session).map(({ data }) => data.status)).toEqual(["rejected", "rejected"])
    expect(live.wrongs()).toEqual([])
  })

  test("of an aborted turn are dropped, there and here", async () => {
    const { live } = shared
    const session = await live.open([ask(asking("One?")), "after"])
    const turn = live.run("ask me", session)
    await live.question(1, session)
    await cancelTurn(session, {})
    expect(await turn).toMatchObject({ stop_reason: "cancelled" })
    expect(await live.run("on", session)).toMatchObject({ stop_reason: "end_turn" })
    expect(live.of("question.resolved", session).map(({ data }) => data.status)).toEqual(["cancelled"])
    expect(live.wrongs()).toEqual([])
  })
})

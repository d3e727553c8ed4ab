import type { QuestionPart } from "@sandbox-agent/schema/request"
import { expect, test } from "vitest"
import { checkedAnswers } from "../../src/core/answers.ts"
import { replyQuestion } from "../../src/core/replies.ts"
import { setStage } from "./stage.ts"

const part = (type: QuestionPart["type"], more: Partial<QuestionPart> = {}): QuestionPart => ({
  ...{ id: "n", prompt: "?", type, options: [], multi_select: false, allow_other: true },
  ...more,
})

const checked = (type: QuestionPart["type"], given: string[], more: Partial<QuestionPart> = {}) =>
  checkedAnswers({ type: "question", questions: [part(type, more)] }, [given])

test.each([
  ["number", ["abc"]],
  ["number", ["1.5x"]],
  ["number", [" "]],
  ["number", ["0x10"]],
  ["number", ["1e999"]],
  ["number", ["Infinity"]],
  ["boolean", ["banana"]],
  ["boolean", ["TRUE"]],
  ["text", ["a", "b"]],
] as const)("no answer to a %s: %j", (type, given) => {
  expect(() => checked(type, [...given])).toThrow(/^answers\[0\] \(n\): /)
})

test.each([
  ["number", "-1.5e3"],
  ["number", " 7 "],
  ["number", ".5"],
  ["boolean", "true"],
  ["boolean", "false"],
  ["text", " "],
  ["choice", "of my own"],
] as const)("an answer to a %s: %j", (type, answer) => {
  expect(checked(type, [answer])).toEqual([[answer]])
})

test("an empty text is no answer, of any type", () => {
  for (const type of ["number", "boolean", "text", "choice"] as const) {
    expect(checked(type, [""])).toEqual([[]])
    expect(() => checked(type, [""], { required: true })).toThrow("answers[0] (n): an answer is required")
  }
  expect(checked("choice", ["", "A"])).toEqual([["A"]])
})

test("what the driver finds wrong is said of that question", () => {
  const questions = [part("text"), part("text", { id: "second" })]
  const fault = (n: number, given: readonly string[]) => (n === 1 ? `not ${given}` : undefined)
  expect(() => checkedAnswers({ type: "question", questions, fault }, [["a"], ["b"]])).toThrow(
    "answers[1] (second): not b",
  )
  expect(checkedAnswers({ type: "question", questions, fault }, [["a"], []])).toEqual([["a"], []])
})

test("whoever answers nothing of it has declined", async () => {
  await using stage = await setStage()
  await stage.running()
  stage.say(() => stage.sink.ask({ key: "q", type: "question", questions: [part("text"), part("number")] }))
  const [id = ""] = stage.session.requests.keys()
  expect(await replyQuestion(stage.session, id, [[], [""]])).toMatchObject({ status: "rejected" })
  expect(await stage.puppet.until("answer")).toMatchObject({ answer: { kind: "question_rejected" } })
})

import type { Question, QuestionPart } from "@sandbox-agent/schema/request"
import { expect, test } from "vitest"
import { choiceAnswer, type Response } from "../../../src/faces/acp/projection/answers.ts"
import { traitsOf } from "../../../src/faces/acp/projection/traits.ts"
import { project } from "../../../src/faces/acp/projection/updates.ts"
import { event } from "./event.ts"
import { wrongEnvelopes } from "./protocol-schema.ts"

/** Clients without elicitation are asked by way of permissions. */
const plain = traitsOf({})

const part = (more: Partial<QuestionPart> = {}): QuestionPart => ({
  id: "0",
  prompt: "Which colour?",
  type: "choice",
  options: [{ label: "Red" }, { label: "Blue" }],
  multi_select: false,
  allow_other: false,
  ...more,
})
const question = (questions: QuestionPart[], more: Partial<Question> = {}): Question => ({
  question_id: "que_1",
  prompt: questions[0]?.prompt ?? "",
  options: [],
  status: "requested",
  questions,
  ...more,
})

function ask(asked: Question) {
  const envelopes = project(event("question.requested", asked), undefined, plain)
  expect(wrongEnvelopes(envelopes, "one")).toEqual([])
  if (asked.call_id !== undefined) return envelopes
  // It belongs to no call of the agent, so it is announced as one of its own.
  const [announced, ...requests] = envelopes
  const [first] = requests as { params?: { toolCall?: object } }[]
  expect(announced).toMatchObject({ params: { update: { sessionUpdate: "tool_call", ...first?.params?.toolCall } } })
  return requests
}

const select = (optionId: string): Response => ({ result: { outcome: { outcome: "selected", optionId } } })
const option = (i: number, name: string, kind = "allow_once") => ({ optionId: `choice_${i}`, name, kind })
const decline = { optionId: "decline", name: "Decline", kind: "reject_once" }

const table: [string, Partial<QuestionPart>, Partial<Question>, object[]][] = [
  ["choices", {}, {}, [option(0, "Red"), option(1, "Blue"), decline]],
  [
    "several choices, of which one can be taken",
    { multi_select: true },
    {},
    [option(0, "Red"), option(1, "Blue"), decline],
  ],
  ["yes or no", { type: "boolean", options: [] }, {}, [option(0, "true"), option(1, "false"), decline]],
  ["a text, which can only be declined", { type: "text", options: [] }, {}, [decline]],
  ["a number, which can only be declined", { type: "number", options: [] }, {}, [decline]],
  [
    "the approval of a plan",
    { options: [{ label: "Approve" }, { label: "Reject" }] },
    { purpose: "plan_approval" },
    [option(0, "Approve"), option(1, "Reject", "reject_once")],
  ],
]
test.each(table)("%s", (_, more, whole, options) => {
  const asked = question([part(more)], whole)
  const kind = whole.purpose === undefined ? "other" : "switch_mode"
  expect(ask(asked)).toMatchObject([
    { id: "que_1", method: "session/request_permission", params: { options, toolCall: { kind, toolCallId: "que_1" } } },
  ])
})

test("a long question is shown whole", () => {
  const asked = question([part({ header: "Plan", prompt: "1. Read\n2. Write" })])
  expect(ask(asked)).toMatchObject([
    { params: { toolCall: { title: "Plan", content: [{ content: { text: "1. Read\n2. Write" } }] } } },
  ])
})

test("of several questions the first is asked; the others follow one by one", () => {
  expect(ask(question([part(), part({ prompt: "And?" })]))).toMatchObject([
    { id: "que_1", params: { _meta: { "sandboxagent.dev": { questionId: "que_1", question: 0, of: 2 } } } },
  ])
})

test("answers are the labels", () => {
  const asked = question([part(), part({ type: "boolean", options: [] })])
  expect(choiceAnswer(asked, 0, select("choice_1"))).toEqual({ kind: "chosen", answer: ["Blue"] })
  expect(choiceAnswer(asked, 1, select("choice_1"))).toEqual({ kind: "chosen", answer: ["false"] })
  expect(choiceAnswer(asked, 0, select("decline"))).toEqual({ kind: "rejected" })
  expect(choiceAnswer(asked, 0, { result: { outcome: { outcome: "cancelled" } } })).toEqual({ kind: "dismissed" })
  expect(choiceAnswer(asked, 0, { error: {} })).toEqual({ kind: "dismissed" })
  for (const [k, response] of [
    [0, select("choice_2")],
    [0, select("choice_")],
    [2, select("choice_0")],
  ] as const)
    expect(() => choiceAnswer(asked, k, response)).toThrow(expect.objectContaining({ code: "invalid_request" }))
})

test.each([
  ["answered", "completed"],
  ["rejected", "failed"],
  ["cancelled", "failed"],
] as const)("%s: every step is taken back, and the call it was shown as is %s", (status, end) => {
  const resolved = question([part(), part()], { status })
  const envelopes = project(event("question.resolved", resolved), undefined, plain)
  expect(wrongEnvelopes(envelopes, "one")).toEqual([])
  expect(envelopes).toMatchObject([
    { method: "$/cancel_request", params: { requestId: "que_1" } },
    { method: "$/cancel_request", params: { requestId: "que_1.1" } },
    { params: { update: { sessionUpdate: "tool_call_update", toolCallId: "que_1", status: end } } },
  ])
  const withCall = project(event("question.resolved", { ...resolved, call_id: "call_1" }), undefined, plain)
  expect(withCall.map(({ method }) => method)).toEqual(["$/cancel_request", "$/cancel_request"])
})

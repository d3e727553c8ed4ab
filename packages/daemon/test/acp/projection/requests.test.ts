import type { Event } from "@sandbox-agent/schema/event"
import type { Permission, Question, QuestionPart } from "@sandbox-agent/schema/request"
import { describe, expect, test } from "vitest"
import { permissionAnswer, questionAnswer, type Response } from "../../../src/faces/acp/projection/answers.ts"
import type { Envelope } from "../../../src/faces/acp/projection/envelope.ts"
import { type Traits, traitsOf } from "../../../src/faces/acp/projection/traits.ts"
import { project } from "../../../src/faces/acp/projection/updates.ts"
import { choicesRequest } from "../../../src/faces/acp/projection/v1/question.ts"
import { event } from "./event.ts"
import { wrongEnvelopes } from "./protocol-schema.ts"

const plain = traitsOf({})
const both = traitsOf({ elicitation: { form: {}, url: {} } })

function shown(given: Event, traits: Traits): Envelope[] {
  const envelopes = project(given, undefined, traits)
  expect(wrongEnvelopes(envelopes, "one")).toEqual([])
  return envelopes
}

const permission: Permission = {
  permission_id: "perm_1",
  action: "Bash",
  status: "requested",
  kind: "command",
  detail: { command: "rm -r x", description: "Clean up" },
  choices: ["once", "always", "reject"],
  item_id: "item_1",
  call_id: "call_1",
}

describe("permissions", () => {
  const asked = (more: Partial<Permission>) => shown(event("permission.requested", { ...permission, ...more }), plain)

  test("are requests under their own id, with the command for a title and an option for each choice", () => {
    expect(asked({})).toEqual([
      {
        jsonrpc: "2.0",
        id: "perm_1",
        method: "session/request_permission",
        params: {
          sessionId: "one",
          toolCall: {
            toolCallId: "call_1",
            title: "rm -r x",
            kind: "execute",
            status: "pending",
            rawInput: { command: "rm -r x", description: "Clean up" },
            content: [{ type: "content", content: { type: "text", text: "Clean up" } }],
          },
          options: [
            { optionId: "allow_once", name: "Allow once", kind: "allow_once" },
            { optionId: "allow_always", name: "Allow for this session", kind: "allow_always" },
            { optionId: "reject_once", name: "Reject", kind: "reject_once" },
          ],
          _meta: {
            "sandboxagent.dev": { permissionId: "perm_1", kind: "command", action: "Bash", itemId: "item_1" },
          },
        },
      },
    ])
  })

  const diff = "--- a/x\n+++ b/x\n@@ -3,2 +3,2 @@\n same\n-old\n+new\n"
  const shapes: [string, Partial<Permission>, object][] = [
    ["no detail", { detail: undefined, kind: "tool" }, { title: "Bash", kind: "other", rawInput: {} }],
    [
      "a diff",
      { kind: "file_change", action: "Edit", detail: { path: "/x", diff } },
      { title: "Edit /x", kind: "edit" },
    ],
    ["a path in the action", { action: "Edit /x", kind: "file_change", detail: { path: "/x" } }, { title: "Edit /x" }],
    ["a place", { kind: "file_change", detail: { path: "/x" } }, { locations: [{ path: "/x" }] }],
    ["an input", { kind: "network", detail: { input: { url: "u" } } }, { kind: "fetch", rawInput: { url: "u" } }],
    ["no call", { call_id: undefined }, { toolCallId: "perm_1" }],
  ]
  test.each(shapes)("with %s", (_, more, toolCall) => {
    expect(asked(more)).toMatchObject([{ params: { toolCall } }])
  })

  test("with a diff show both texts", () => {
    const [content] = asked({ kind: "file_change", detail: { path: "/x", diff } }).map(({ params }) =>
      "toolCall" in params ? (params.toolCall as { content: unknown }).content : undefined,
    )
    expect(content).toEqual([{ type: "diff", path: "/x", oldText: "same\nold\n", newText: "same\nnew\n" }])
  })

  test("offer only what the agent takes", () => {
    expect(asked({ choices: ["once", "reject"] })).toMatchObject([
      { params: { options: [{ kind: "allow_once" }, { kind: "reject_once" }] } },
    ])
  })

  test("decided by a rule or the mode are not asked", () => {
    expect(asked({ by: "rule" })).toEqual([])
    expect(asked({ by: "mode" })).toEqual([])
  })

  const ends: [Permission["status"], Partial<Permission>, string | undefined][] = [
    ["accept", {}, "in_progress"],
    ["accept_for_session", {}, "in_progress"],
    ["reject", {}, undefined],
    ["cancelled", {}, undefined],
    ["accept", { call_id: undefined }, "completed"],
    ["reject", { call_id: undefined }, "failed"],
    ["cancelled", { call_id: undefined }, "failed"],
  ]
  test.each(ends)("resolved as %s %o are taken back, the call is then %s", (status, more, next) => {
    const envelopes = shown(event("permission.resolved", { ...permission, ...more, status, by: "client" }), plain)
    expect(envelopes[0]).toEqual({ jsonrpc: "2.0", method: "$/cancel_request", params: { requestId: "perm_1" } })
    const update = {
      sessionUpdate: "tool_call_update",
      toolCallId: more.call_id === undefined && "call_id" in more ? "perm_1" : "call_1",
    }
    expect(envelopes.slice(1)).toMatchObject(
      next === undefined ? [] : [{ params: { update: { ...update, status: next } } }],
    )
  })

  const select = (optionId: unknown): Response => ({ result: { outcome: { outcome: "selected", optionId } } })
  const said = {
    outcome: { outcome: "selected", optionId: "reject_once" },
    _meta: { "sandboxagent.dev": { message: "no" } },
  }
  const answers: [string, Response, object][] = [
    ["allow_once", select("allow_once"), { kind: "permission", reply: "once" }],
    ["allow_always", select("allow_always"), { kind: "permission", reply: "always" }],
    ["reject_once", select("reject_once"), { kind: "permission", reply: "reject" }],
    ["reject with words", { result: said }, { kind: "permission", reply: "reject", message: "no" }],
    ["cancelled", { result: { outcome: { outcome: "cancelled" } } }, { kind: "dismissed" }],
    ["an error", { error: { code: -32800, message: "cancelled" } }, { kind: "dismissed" }],
  ]
  test.each(answers)("answered with %s", (_, response, answer) => {
    expect(permissionAnswer(permission, response)).toEqual(answer)
  })

  const bad: [string, Response][] = [
    ["nothing", { result: null }],
    ["no outcome", { result: {} }],
    ["another outcome", { result: { outcome: { outcome: "maybe" } } }],
    ["no option", select(undefined)],
    ["an option that is none", select("reject_always")],
  ]
  test.each(bad)("refuse an answer with %s", (_, response) => {
    expect(() => permissionAnswer(permission, response)).toThrow(expect.objectContaining({ code: "invalid_request" }))
  })

  test("refuse an option that was not offered", () => {
    expect(() => permissionAnswer({ choices: ["once", "reject"] }, select("allow_always"))).toThrow(/not one of/)
  })
})

const part = (more: Partial<QuestionPart> = {}): QuestionPart => ({
  id: "0",
  header: "Colour",
  prompt: "Which colour?",
  type: "choice",
  options: [{ label: "Red", description: "warm" }, { label: "Blue" }],
  multi_select: false,
  allow_other: false,
  ...more,
})
const question = (...questions: QuestionPart[]): Question => ({
  question_id: "que_1",
  prompt: questions[0]?.prompt ?? "",
  options: [],
  status: "requested",
  questions,
})
const accept = (content?: unknown): Response => ({ result: { action: "accept", content } })

describe("questions as forms", () => {
  const form = (...parts: QuestionPart[]) => {
    const [envelope] = shown(event("question.requested", question(...parts)), both)
    expect(envelope).toMatchObject({
      id: "que_1",
      method: "elicitation/create",
      params: { mode: "form", sessionId: "one" },
    })
    return envelope?.params as { message: string; requestedSchema: { properties: object; required?: string[] } }
  }

  test("one question is the message, several are described each", () => {
    const one = form(part())
    expect(one.message).toBe("Which colour?")
    const options = [
      { const: "Red", title: "Red", description: "warm" },
      { const: "Blue", title: "Blue" },
    ]
    expect(one.requestedSchema.properties).toEqual({ question_0: { type: "string", title: "Colour", oneOf: options } })
    const several = form(part(), part({ header: undefined, id: "b", prompt: "Why?", type: "text", options: [] }))
    expect(several.message).toBe("Please answer the following questions.")
    expect(several.requestedSchema.properties).toMatchObject({
      question_0: { description: "Which colour?" },
      question_1: { type: "string", title: "b", description: "Why?" },
    })
  })

  // Each kind of question: its property, and values with the answer they are.
  const table: [string, Partial<QuestionPart>, object, [unknown, string[]][]][] = [
    [
      "single choice",
      {},
      { type: "string" },
      [
        ["Red", ["Red"]],
        [undefined, []],
        [null, []],
      ],
    ],
    [
      "several choices",
      { multi_select: true },
      { type: "array" },
      [
        [
          ["Red", "Blue"],
          ["Red", "Blue"],
        ],
        [[], []],
      ],
    ],
    [
      "text",
      { type: "text", options: [] },
      { type: "string" },
      [
        ["words", ["words"]],
        ["", []],
      ],
    ],
    ["choice without choices", { options: [], allow_other: true }, { type: "string" }, [["words", ["words"]]]],
    [
      "number",
      { type: "number", options: [] },
      { type: "number" },
      [
        [1.5, ["1.5"]],
        [0, ["0"]],
      ],
    ],
    [
      "boolean",
      { type: "boolean", options: [] },
      { type: "boolean" },
      [
        [false, ["false"]],
        [true, ["true"]],
      ],
    ],
    ["secret", { type: "text", options: [], secret: true }, { type: "string" }, [["s3cret", ["s3cret"]]]],
  ]
  test.each(table)("%s", (_, more, property, values) => {
    expect(form(part(more)).requestedSchema.properties).toMatchObject({ question_0: property })
    for (const [value, answer] of values)
      expect(questionAnswer(question(part(more)), accept({ question_0: value }))).toEqual({
        kind: "answered",
        answers: [answer],
      })
  })

  test("words of one's own stand beside the choices", () => {
    const free = part({ allow_other: true, required: true })
    const schema = form(free).requestedSchema
    expect(Object.keys(schema.properties)).toEqual(["question_0", "question_0_other"])
    expect(schema.required).toBeUndefined()
    const answers = (content: object, ...parts: QuestionPart[]) => questionAnswer(question(...parts), accept(content))
    expect(answers({ question_0_other: "Green" }, free)).toMatchObject({ answers: [["Green"]] })
    expect(answers({ question_0: "Red", question_0_other: "Green" }, free)).toMatchObject({ answers: [["Green"]] })
    expect(answers({ question_0: "Red", question_0_other: " " }, free)).toMatchObject({ answers: [["Red"]] })
    const many = { ...free, multi_select: true }
    expect(answers({ question_0: ["Red"], question_0_other: "Green" }, many)).toMatchObject({
      answers: [["Red", "Green"]],
    })
  })

  test("what is required is said", () => {
    expect(form(part({ required: true })).requestedSchema.required).toEqual(["question_0"])
  })

  const refused: [string, Response, object][] = [
    ["declined", { result: { action: "decline" } }, { kind: "rejected" }],
    ["closed", { result: { action: "cancel" } }, { kind: "rejected" }],
    ["failed", { error: { code: -32603, message: "no" } }, { kind: "dismissed" }],
  ]
  test.each(refused)("%s", (_, response, answer) => {
    expect(questionAnswer(question(part()), response)).toEqual(answer)
  })

  const bad: [string, Partial<QuestionPart>, Response][] = [
    ["no action", {}, { result: {} }],
    ["another action", {}, { result: { action: "yes" } }],
    ["content that is a list", {}, accept([])],
    ["a choice that is none", {}, accept({ question_0: "Green" })],
    ["one of several that is none", { multi_select: true }, accept({ question_0: ["Red", "Green"] })],
    ["a text for several", { multi_select: true }, accept({ question_0: "Red" })],
    ["a number among several", { multi_select: true }, accept({ question_0: [1] })],
    ["a number for a text", {}, accept({ question_0: 1 })],
    ["a text for a number", { type: "number", options: [] }, accept({ question_0: "1" })],
    ["a text for yes or no", { type: "boolean", options: [] }, accept({ question_0: "true" })],
    ["own words that are no text", { allow_other: true }, accept({ question_0_other: 1 })],
    ["nothing where something is required", { required: true }, accept({})],
  ]
  test.each(bad)("refuse %s", (_, more, response) => {
    expect(() => questionAnswer(question(part(more)), response)).toThrow(
      expect.objectContaining({ code: "invalid_request" }),
    )
  })

  test("an address is opened by clients that can, and is in the text for the others", () => {
    const address = part({ url: "https://example.com/login", options: [{ label: "Accept" }, { label: "Decline" }] })
    const requested = event("question.requested", { ...question(address), call_id: "call_1" })
    const url = { mode: "url", url: "https://example.com/login", elicitationId: "que_1", toolCallId: "call_1" }
    expect(shown(requested, both)).toMatchObject([{ id: "que_1", params: url }])
    expect(JSON.stringify(shown(requested, traitsOf({ elicitation: { form: {} } })))).toContain("https://example.com")
    expect(JSON.stringify(shown(requested, plain))).toContain("https://example.com")
    expect(questionAnswer(question(address), accept())).toEqual({ kind: "answered", answers: [["Accept"]] })
    expect(questionAnswer(question(address), { result: { action: "decline" } })).toEqual({ kind: "rejected" })
  })

  test("resolved ones are taken back", () => {
    const resolved = event("question.resolved", { ...question(part(), part()), status: "answered" })
    expect(shown(resolved, both)).toEqual([
      { jsonrpc: "2.0", method: "$/cancel_request", params: { requestId: "que_1" } },
    ])
  })
})

test("the k-th question is asked under an id of its own", () => {
  const several = question(part(), part({ prompt: "And then?" }))
  const second = choicesRequest(several, 1, "one")
  expect(wrongEnvelopes([second], "one")).toEqual([])
  expect(second).toMatchObject({ id: "que_1.1", params: { toolCall: { title: "And then?", toolCallId: "que_1" } } })
})

import type { SandboxAgentError } from "@sandbox-agent/schema/error"
import { describe, expect, test } from "vitest"
import { answersOf, elicitationAnswer, elicitationQuestion } from "../../../src/drivers/acp/elicitation.ts"
import { loginHint, turnErrorOf, typed, wordsOf } from "../../../src/drivers/acp/failure.ts"
import { Options } from "../../../src/drivers/acp/options.ts"
import { answerForAgent, meaningOf } from "../../../src/drivers/acp/passthrough-answers.ts"
import { RpcError } from "../../../src/drivers/acp/peer.ts"
import { outcomeOf } from "../../../src/drivers/acp/permission.ts"
import { UsageMeter } from "../../../src/drivers/acp/usage.ts"

const once = { kind: "permission", reply: "once" } as const
const reject = { kind: "permission", reply: "reject" } as const
const option = (optionId: string, kind: string) => ({ optionId, kind, name: optionId })
const chose = (optionId: string) => ({ outcome: { outcome: "selected", optionId } })

test("the option is chosen by its kind, one that holds for longer only where there is no other", () => {
  const gemini = [option("all", "allow_always"), option("go", "allow_once"), option("cancel", "reject_once")]
  expect([outcomeOf(gemini, once), outcomeOf(gemini, reject)]).toEqual([chose("go"), chose("cancel")])
  const codex = [option("a", "allow_once"), option("cancel", "reject_once"), option("decline", "reject_once")]
  expect(outcomeOf(codex, reject)).toEqual(chose("decline"))
  // Where there is no other, which is said wherever it is chosen.
  const forever = [option("all", "allow_always"), option("never", "reject_always")]
  expect([outcomeOf(forever, once), outcomeOf(forever, reject)]).toEqual([chose("all"), chose("never")])
  const lasting = [option("cancel", "reject_once"), option("never", "reject_always")]
  expect(outcomeOf(lasting, reject)).toEqual(chose("cancel"))
  for (const none of [[], [option("odd", "allow_maybe")]])
    for (const answer of [once, reject]) expect(outcomeOf(none, answer)).toEqual({ outcome: { outcome: "cancelled" } })
})

describe("an answer by the agent's own option", () => {
  const method = "session/request_permission"
  const asked = (...kinds: string[]) => ({ method, params: { options: kinds.map((kind, i) => option(`${i}`, kind)) } })
  const all = asked("allow_always", "allow_once", "allow_once", "reject_once", "reject_always", "another")

  test("means what its kind says, and one that was not offered means nothing", () => {
    const replies = ["0", "1", "2", "3", "4", "5"].map((id) => meaningOf(all, chose(id)))
    expect(replies).toEqual(
      ["always", "once", "once", "reject", "reject", "once"].map((reply) => ({ kind: "permission", reply })),
    )
    expect(meaningOf(all, { outcome: { outcome: "cancelled" } })).toBeUndefined()
    for (const wrong of [chose("6"), chose("allow_once"), { outcome: {} }, {}])
      expect(() => meaningOf(all, wrong)).toThrow(expect.objectContaining({ code: "invalid_request" }))
  })

  test("is given on as it is, but for one that would hold for longer where there is one for this once", () => {
    const beside = { _meta: { mine: 1 } }
    const given = ["0", "1", "2", "3", "4", "5"].map((id) => answerForAgent(all, { ...chose(id), ...beside }))
    expect(given).toEqual(["1", "1", "2", "3", "3", "5"].map((id) => ({ ...chose(id), ...beside })))
    const forever = asked("allow_always", "reject_always")
    expect([answerForAgent(forever, chose("0")), answerForAgent(forever, chose("1"))]).toEqual([chose("0"), chose("1")])
  })
})

describe("forms", () => {
  const form = (properties: object, required: string[] = []) => ({
    mode: "form",
    message: "Say",
    requestedSchema: { type: "object", properties, required },
  })

  test("each kind of field is a question and takes its own kind of answer", () => {
    const params = form(
      {
        text: { type: "string", title: "Text" },
        count: { type: "integer" },
        on: { type: "boolean" },
        one: { type: "string", oneOf: [{ const: "a", title: "A" }] },
        many: {
          type: "array",
          items: {
            anyOf: [
              { const: 1, title: "One" },
              { const: 2, title: "Two" },
            ],
          },
        },
      },
      ["text"],
    )
    const { questions } = elicitationQuestion(params)
    expect(questions.map(({ type, multi_select, required }) => [type, multi_select, required])).toEqual([
      ["text", false, true],
      ["number", false, false],
      ["boolean", false, false],
      ["choice", false, false],
      ["choice", true, false],
    ])
    const answers = [["words"], ["3"], ["true"], ["A"], ["One", "Two"]]
    const content = { text: "words", count: 3, on: true, one: "a", many: [1, 2] }
    expect(elicitationAnswer(params, answers)).toEqual({ action: "accept", content })
    // And back, from a client that filled in the form itself.
    expect(answersOf(params, content)).toEqual(answers)
    expect(answersOf(params, { one: "a", two: "not of this form" })).toEqual([[], [], [], ["A"], []])
  })

  test("one that a client filled in itself has to fit as answers do", () => {
    const params = form(
      {
        one: { type: "string", enum: ["a", "b"] },
        count: { type: "integer", minimum: 3 },
        on: { type: "boolean" },
        many: { type: "array", items: { enum: ["x", "y"] }, maxItems: 1 },
        words: { type: "string", maxLength: 3 },
        must: { type: "string" },
        db: { type: "string", enum: ["p"] },
        db_note: { type: "string" },
      },
      ["must", "db"],
    )
    const given = (content: object) =>
      meaningOf(
        { method: "elicitation/create", params },
        { action: "accept", content: { must: "m", db: "p", ...content } },
      )
    const good = [
      {},
      { one: "b", count: 3, on: false, many: ["y"], words: "abc" },
      { words: "", one: null },
      { other: 1 },
    ]
    for (const content of [...good, { db: undefined, db_note: "mine" }])
      expect(given(content)).toMatchObject({ kind: "question" })
    const wrong = [
      ...[{ one: "zzz" }, { one: ["a"] }, { one: 1 }, { count: 1 }, { count: 3.5 }, { count: "3" }, { on: "true" }],
      ...[{ many: "x" }, { many: ["z"] }, { many: ["x", "y"] }, { words: "abcd" }, { words: 1 }, { must: "" }],
      ...[{ must: undefined }, { db: undefined }, { db: "q" }, { db_note: 5 }],
    ]
    for (const content of wrong)
      expect(() => given(content), JSON.stringify(content)).toThrow(
        expect.objectContaining({
          code: "invalid_request",
          detail: expect.stringContaining(`content.${Object.keys(content)[0]}:`),
        }),
      )
    const decline = { action: "decline", content: { one: "zzz" } }
    expect(meaningOf({ method: "elicitation/create", params }, decline)).toEqual({ kind: "question_rejected" })
  })

  test("a field for other words belongs to its question; a required choice stays one of those offered", () => {
    const options = [{ const: "A" }, { const: "None of the above" }]
    const params = form({ db: { type: "string", oneOf: options }, db_note: { type: "string" } }, ["db"])
    expect(elicitationQuestion(params).questions).toMatchObject([
      { id: "db", options: [{ label: "A" }], allow_other: true },
    ])
    expect(elicitationAnswer(params, [["mine"]])).toMatchObject({
      content: { db: "None of the above", db_note: "mine" },
    })
  })

  test("a question of the agent's own is its field's words, or the message where that has none", () => {
    const prompts = (properties: object, message: string) =>
      elicitationQuestion({ ...form(properties, []), message }).questions.map(({ header, prompt }) => [header, prompt])
    const other = { type: "string", title: "Other" }
    expect(prompts({ q: { title: "Database" }, q_custom: other }, "Which database?")).toEqual([
      ["Database", "Which database?"],
    ])
    const several = {
      a: { title: "A", description: "Which a?" },
      a_custom: other,
      b: { title: "B", description: "Which b?" },
      b_custom: other,
    }
    expect(prompts(several, "Please answer")).toEqual([
      ["A", "Which a?"],
      ["B", "Which b?"],
    ])
    const codex = { title: "Which database?", description: "Database", _meta: { codex: {} } }
    expect(prompts({ db: codex }, "Codex needs your input")).toEqual([["Database", "Which database?"]])
    // A form of an MCP server says what it is for in its message.
    expect(prompts({ a: { description: "Your name" } }, "To book the room")).toEqual([
      ["a", "To book the room\nYour name"],
    ])
  })

  test("an address is to be opened or not", () => {
    const params = { mode: "url", message: "Log in", url: "https://example.com/login" }
    expect(elicitationQuestion(params).questions).toMatchObject([{ url: params.url, options: [{}, {}] }])
    expect(elicitationAnswer(params, [["Accept"]])).toEqual({ action: "accept" })
    expect(elicitationAnswer(params, [["Decline"]])).toEqual({ action: "decline" })
    for (const nothing of [[[]], []]) expect(elicitationAnswer(params, nothing)).toEqual({ action: "decline" })
  })
})

test("who wants a login is told apart and says what to do", () => {
  const methods = [
    { id: "k", name: "Key", description: "Needs the `X_API_KEY` variable" },
    { id: "t", type: "terminal", args: ["login"] },
  ]
  const hint = loginHint(methods, ["agent"], [])
  expect(hint).toContain("X_API_KEY")
  expect(hint).toContain("`agent login`")
  const error = (code: number, message: string, method = "session/new") =>
    typed(new RpcError(method, { code, message }), "a", "A", hint)
  expect(error(-32000, "Authentication required")).toMatchObject({ code: "unavailable", context: { hint } })
  expect(error(-32601, "no", "session/fork")).toMatchObject({ code: "not_supported" })
  // One that cannot even make a session is no agent: nothing that was asked for is to blame.
  expect(error(-32601, "no")).toMatchObject({ code: "unavailable" })
  expect(wordsOf({ code: -32603, message: "Internal error", data: { details: "out of luck" } })).toBe("out of luck")
})

test("what is not found is told by the code, and by words only where a session was looked for", () => {
  const of = (code: number, message: string, method: string) =>
    (typed(new RpcError(method, { code, message }), "a", "A", "") as SandboxAgentError).code
  const words = ["Model not found: gpt-9", "npm: command not found", "Session settings not found", "no session yet"]
  expect(of(-32002, "Resource", "session/new")).toBe("not_found")
  for (const method of ["session/new", "session/set_model", "session/set_mode", "initialize"])
    for (const message of [...words, "Session not found: x"]) {
      expect(of(-32602, message, method)).toBe("invalid_request")
      expect(of(-32603, message, method)).toBe("unavailable")
    }
  for (const method of ["session/load", "session/resume", "session/fork"]) {
    for (const code of [-32002, -32602, -32603]) expect(of(code, "Session not found: x", method)).toBe("not_found")
    expect(of(-32603, "MCP server files: command not found", method)).toBe("unavailable")
    expect(of(-32000, "Session not found: x", method)).toBe("unavailable")
  }
  expect(turnErrorOf({ code: -32603, message: "Model not found: gpt-9" }, "")).toMatchObject({ code: "agent_error" })
  expect(turnErrorOf({ code: -32002, message: "Session" }, "")).toMatchObject({ code: "not_found" })
})

test("options may be config options, groups of them, or the lists of older agents", () => {
  const newer = new Options({ modes: { ask: "ask", plan: "plan" } })
  const value = (id: string) => ({ value: id, name: id.toUpperCase() })
  newer.update({
    modes: {
      currentModeId: "ask",
      availableModes: [
        { id: "ask", name: "Ask" },
        { id: "plan", name: "Plan" },
        { id: "auto", name: "Auto" },
      ],
    },
    configOptions: [
      {
        id: "m",
        category: "model",
        type: "select",
        currentValue: "a",
        options: [{ group: "g", name: "G", options: [value("a"), value("b")] }],
      },
      {
        id: "e",
        category: "thought_level",
        type: "select",
        currentValue: "low",
        options: [value("low"), value("high")],
      },
    ],
  })
  expect(newer.modes.map(({ id }) => id)).toEqual(["build", "auto"])
  expect([newer.model?.id, newer.model?.values.map(({ id }) => id), newer.variant?.current]).toEqual([
    "m",
    ["a", "b"],
    "low",
  ])
  const older = new Options({})
  older.update({ models: { currentModelId: "x", availableModels: [{ modelId: "x", name: "X" }] } })
  expect(older.model).toMatchObject({ id: undefined, current: "x" })
})

test("tokens are told in many words; the cost of a session grows, or begins anew", () => {
  const meter = new UsageMeter()
  const apart = { inputTokens: 10, outputTokens: 5, cachedReadTokens: 40, totalTokens: 55 }
  expect(meter.turn({ usage: apart })).toEqual({ input_tokens: 50, output_tokens: 5, cached_tokens: 40 })
  const within = { inputTokens: 50, outputTokens: 5, cachedReadTokens: 40, totalTokens: 55 }
  expect(meter.turn({ usage: within })).toMatchObject({ input_tokens: 50 })
  expect(meter.turn({ _meta: { quota: { token_count: { input_tokens: 1, output_tokens: 2 } } } })).toEqual({
    input_tokens: 1,
    output_tokens: 2,
  })
  const cost = (amount: number) => meter.update({ used: 1, size: 2, cost: { amount, currency: "USD" } }).cost_usd
  expect([cost(1), cost(1.5), cost(0.25)]).toEqual([1, 0.5, 0.25])
})

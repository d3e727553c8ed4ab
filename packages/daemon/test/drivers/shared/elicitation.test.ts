import { describe, expect, test } from "vitest"
import { elicitationAnswer, elicitationQuestion } from "../../../src/drivers/shared/elicitation.ts"

const asked = (properties: object, message?: string) =>
  elicitationQuestion({ message, requestedSchema: { properties } })

test("a form of an MCP server is a question, and its answer has the types it asks for", () => {
  const properties = {
    name: { type: "string" },
    age: { type: "integer" },
    sure: { type: "boolean" },
    size: { enum: ["S", "L"] },
  }
  const form = { message: "Who?", requestedSchema: { properties, required: ["name"] } }
  const { questions } = elicitationQuestion(form)
  expect(questions.map(({ id, type, required }) => [id, type, required])).toEqual([
    ["name", "text", true],
    ["age", "number", false],
    ["sure", "boolean", false],
    ["size", "choice", false],
  ])
  expect(elicitationAnswer(form, [["Ann"], ["7"], ["true"], []])).toEqual({
    action: "accept",
    content: { name: "Ann", age: 7, sure: true },
  })
  expect(elicitationAnswer({ message: "Go on?" }, [["Decline"]])).toEqual({ action: "decline" })
})

test("choices have names of their own, and several may be chosen", () => {
  const properties = {
    one: { type: "string", oneOf: [{ const: "a", title: "A", description: "first" }, { const: "b" }] },
    named: { type: "string", enum: ["s", "l"], enumNames: ["Small", "Large"] },
    many: {
      type: "array",
      items: {
        anyOf: [
          { const: 1, title: "One" },
          { const: 2, title: "Two" },
        ],
      },
    },
  }
  const form = { message: "Choose", requestedSchema: { properties } }
  const { questions } = elicitationQuestion(form)
  expect(questions.map(({ type, multi_select, allow_other }) => [type, multi_select, allow_other])).toEqual([
    ["choice", false, false],
    ["choice", false, false],
    ["choice", true, false],
  ])
  expect(questions[0]?.options).toEqual([{ label: "A", description: "first" }, { label: "b" }])
  const content = { one: "a", named: "l", many: [1, 2] }
  expect(elicitationAnswer(form, [["A"], ["Large"], ["One", "Two"]])).toEqual({ action: "accept", content })
})

test("an address is to be opened or not, whatever form comes with it", () => {
  const login = { message: "Log in", url: "https://example.com", requestedSchema: { properties: { name: {} } } }
  expect(elicitationQuestion(login).questions).toMatchObject([{ url: login.url, options: [{}, {}] }])
  expect(elicitationAnswer(login, [["Accept"]])).toEqual({ action: "accept" })
  for (const nothing of [[["Decline"]], [[]], []])
    expect(elicitationAnswer(login, nothing)).toEqual({ action: "decline" })
})

describe("what a person reads", () => {
  const prompts = (properties: object, message?: string) =>
    asked(properties, message).questions.map(({ header, prompt }) => [header, prompt])

  test("the message of a form of one field", () => {
    expect(prompts({ db: { title: "Database" } }, "Which one?")).toEqual([["Database", "Which one?"]])
    expect(prompts({ db: { title: "Database", description: "Its name" } }, "Which one?")).toEqual([
      ["Database", "Which one?\nIts name"],
    ])
  })

  test("of several fields also which one it is", () => {
    expect(prompts({ a: { title: "First" }, b: { description: "The second" } }, "Fill in")).toEqual([
      ["First", "Fill in\nFirst"],
      ["b", "Fill in\nThe second"],
    ])
  })

  test("nothing twice, and a name where nothing is said", () => {
    expect(prompts({ a: { description: "Which?" } }, "Which?")).toEqual([["a", "Which?"]])
    expect(prompts({ a: {} })).toEqual([["a", "a"]])
  })
})

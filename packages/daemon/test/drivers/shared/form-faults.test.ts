import { expect, test } from "vitest"
import { checkedAnswers } from "../../../src/core/answers.ts"
import { elicitationQuestion as acpQuestion } from "../../../src/drivers/acp/elicitation.ts"
import { elicitationAnswer, elicitationQuestion } from "../../../src/drivers/shared/elicitation.ts"

const asked = (schema: object) => ({ message: "?", requestedSchema: { properties: { n: schema } } })

test.each([
  [{ type: "integer" }, ["1.5"], "1.5 is no whole number"],
  [{ type: "number", minimum: 1, maximum: 5 }, ["6"], "6 is not 1 to 5"],
  [{ type: "number", minimum: 1 }, ["0"], "0 is not 1 or more"],
  [{ type: "number", maximum: 5 }, ["6"], "6 is not 5 or less"],
  [{ type: "number", exclusiveMinimum: 1 }, ["1"], "1 is not more than 1"],
  [{ type: "number", exclusiveMaximum: 1 }, ["1"], "1 is not less than 1"],
  [{ type: "string", minLength: 2 }, ["a"], "it has 1 characters, 2 or more are expected"],
  [{ type: "string", maxLength: 2 }, ["abc"], "it has 3 characters, 0 to 2 are expected"],
  [{ type: "array", items: { enum: ["a", "b"] }, minItems: 2 }, ["a"], "1 answers are given, 2 or more are expected"],
])("%j does not take %j", (schema, given, why) => {
  for (const question of [elicitationQuestion, acpQuestion])
    expect(() => checkedAnswers(question(asked(schema)), [given])).toThrow(`answers[0] (n): ${why}`)
})

test.each([
  [{ type: "integer", minimum: 1, maximum: 3 }, ["3"]],
  [{ type: "string", minLength: 2, maxLength: 2 }, ["ab"]],
  [{ type: "array", items: { enum: ["a", "b"] }, maxItems: 2 }, ["a", "b"]],
  [{ type: "integer" }, []],
  [{ type: "integer", oneOf: [{ const: 1, title: "Low" }] }, ["Low"]],
  [{ type: "string", maxLength: 1, enum: ["a"], enumNames: ["The first"] }, ["The first"]],
])("%j takes %j", (schema, given) => {
  for (const question of [elicitationQuestion, acpQuestion])
    expect(checkedAnswers(question(asked(schema)), [given])).toEqual([given])
})

test("a form of which nothing is filled in is declined", () => {
  expect(elicitationAnswer(asked({ type: "string" }), [[]])).toEqual({ action: "decline" })
})

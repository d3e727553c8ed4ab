import { type Capabilities, capabilityNames } from "@sandbox-agent/schema/agent"
import { expect, test } from "vitest"
import { badSkips, cases, objection, uncited } from "./driver-suite.ts"

const able = Object.fromEntries(capabilityNames.map((name) => [name, true])) as Capabilities
const c = { name: "forks", needs: ["fork" as const, "resume" as const], run: async () => {} }
const skip = [{ reason: "it has no fork", tests: ["forks"] }]

test("what the agent can is run, what it cannot is skipped", () => {
  expect(objection(c, able, [])).toBeUndefined()
  expect(objection(c, { ...able, fork: false }, skip)).toBeUndefined()
})

test("a skip of what the agent declares is refused", () => {
  expect(objection(c, able, skip)).toMatch(/declares fork, resume/)
})

test("what the agent declares it cannot must be skipped", () => {
  expect(objection(c, { ...able, resume: false }, [])).toMatch(/declares resume false/)
})

test("a skip without a reason, or of no case, is refused", () => {
  const name = cases[0]?.name ?? ""
  expect(badSkips([{ reason: "because", tests: [name] }])).toEqual([])
  expect(badSkips([{ reason: " ", tests: [name] }])).toHaveLength(1)
  expect(badSkips([{ reason: "because", tests: ["no such case"] }])).toEqual(["no case no such case"])
})

test("every capability is needed by a case, and every case has a name of its own", () => {
  expect(uncited()).toEqual([])
  expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length)
})

import { type Capabilities, capabilityNames } from "@sandbox-agent/schema/agent"
import { expect, test } from "vitest"
import { requirements } from "../src/requirements.ts"
import type { Scenario } from "../src/scenario.ts"
import { scenarios } from "../src/scenarios.ts"
import { badSkips, objection, unasked, unproven } from "../src/verdict.ts"

const able = Object.fromEntries(capabilityNames.map((name) => [name, true])) as Capabilities
const forks: Scenario = { name: "forks", proves: ["fork.head"], needs: ["resume"], run: async () => {} }
const skip = [{ reason: "it has no fork", tests: ["forks"] }]

test("every requirement is proven by a scenario, every capability is required", () => {
  expect(unproven()).toEqual([])
  expect(unasked()).toEqual([])
})

test("ids and names are used once", () => {
  const ids = requirements.map(({ id }) => id)
  const names = scenarios.map(({ name }) => name)
  expect([new Set(ids).size, new Set(names).size]).toEqual([ids.length, names.length])
})

test("what the agent can is run, what it cannot is skipped", () => {
  expect(objection(forks, able)).toBeUndefined()
  expect(objection(forks, { ...able, fork: false }, skip)).toBeUndefined()
})

test("a skip of what the agent declares is refused", () => {
  expect(objection(forks, able, skip)).toMatch(/declares fork, resume/)
})

test("what the agent declares it cannot must be skipped", () => {
  expect(objection(forks, { ...able, resume: false })).toMatch(/declares resume false/)
})

test("a skip without a reason, or of no scenario, is refused", () => {
  const tests = [scenarios[0]?.name ?? ""]
  expect(badSkips([{ reason: "because", tests }])).toEqual([])
  expect(badSkips([{ reason: " ", tests }])).toHaveLength(1)
  expect(badSkips([{ reason: "because", tests: ["no such case"] }])).toEqual(["no scenario no such case"])
})

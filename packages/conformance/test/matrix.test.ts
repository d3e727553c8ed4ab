import { expect, test } from "vitest"
import { markOf, matrixPage, ungrouped } from "../src/matrix.ts"
import { drift, type Report, type Result } from "../src/report.ts"

const row = (status: Result["status"], more: Partial<Result> = {}): Result => ({
  requirement: "fork.head",
  scenario: "forks",
  status,
  ...more,
})
const report = (...results: Result[]): Report => ({ agent: "a", name: "An agent", stability: "stable", results })

test("every requirement has a place on the page", () => {
  expect(ungrouped()).toEqual([])
})

test("a tick is all passed, a dash what the agent has, a blank what it cannot", () => {
  expect(markOf([row("passed"), row("passed")], "fork.head")).toBe("✓")
  expect(markOf([row("passed"), row("failed")], "fork.head")).toBe("–")
  expect(markOf([row("skipped", { has: true })], "fork.head")).toBe("–")
  expect(markOf([row("skipped", { reason: "it has none" })], "fork.head")).toBe("")
  expect(markOf([], "fork.head")).toBe("")
})

test("the page has a column for each agent, its stability, and the reasons", () => {
  const page = matrixPage([report(row("skipped", { reason: "it has none" }))])
  expect(page).toContain("|  | An agent |")
  expect(page).toContain("| Stability | stable |")
  expect(page).toContain("- An agent: it has none (`fork.head`)")
})

test("drift is a change of a status, not of a reason or a version", () => {
  expect(drift(report(row("passed")), { ...report(row("passed")), version: "2" })).toEqual([])
  expect(drift(report(row("passed")), report(row("skipped", { reason: "x" })))).toHaveLength(2)
})

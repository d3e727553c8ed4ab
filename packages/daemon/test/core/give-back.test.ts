import { limits } from "@sandbox-agent/schema/limits"
import { expect, test } from "vitest"
import { Rest } from "../../src/core/give-back.ts"

test("rest comes once after each piece of work, the start included", () => {
  const work = limits.restMs * limits.restShare * 2
  const nearlyNothing = work / 4
  const rest = new Rest(1_000)
  let used = 1_000
  const after = (more: number): boolean => {
    used += more
    return rest.hasCome(used)
  }
  expect(after(nearlyNothing)).toBe(true)
  expect(after(nearlyNothing)).toBe(false)
  expect(after(work)).toBe(false)
  expect(after(work)).toBe(false)
  expect(after(0)).toBe(true)
  expect(after(0)).toBe(false)
})

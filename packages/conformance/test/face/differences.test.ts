import { expect, test } from "vitest"
import { differences } from "../../src/face/differences.ts"
import { overRest } from "../../src/face/over-rest.ts"
import { met } from "./met.ts"

/** Each run proves its own list; here only that none is left over. */
test("every documented difference is met by some agent, and has a reason", () => {
  const documented = { ...differences, ...overRest }
  expect(new Set<string>(Object.values(met).flat())).toEqual(new Set(Object.keys(documented)))
  expect(Object.values(documented).filter((reason) => reason.trim() === "")).toEqual([])
})

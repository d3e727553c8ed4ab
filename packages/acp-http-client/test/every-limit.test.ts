import { describe } from "vitest"
import { expectAll } from "./overfill.ts"

describe("what goes wrong", async () => {
  await import("./faults.ts")
})
describe("how long, and how often", async () => {
  await import("./timeouts.ts")
})
describe("what is kept", async () => {
  await import("./limits.ts")
  await import("./updates.ts")
  await import("./answers.ts")
})
describe("of all limits", () => expectAll())

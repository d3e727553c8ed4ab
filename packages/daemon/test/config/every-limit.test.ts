import { describe } from "vitest"
import { expectAll } from "./overfill.ts"

describe("entries", async () => {
  await import("./limits.ts")
})
describe("what entries name", async () => {
  await import("./hostile.ts")
})
describe("of all limits", () => expectAll())

import { describe } from "vitest"
import { expectAll } from "./overfill.ts"

describe("what an agent may have of us", async () => {
  await import("./limits.ts")
})
describe("how long, and how often", async () => {
  await import("./patience.ts")
  await import("./catalog.ts")
})
describe("of all limits", () => expectAll())

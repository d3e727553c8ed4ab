import { describe } from "vitest"
import { expectAll } from "./overfill.ts"

describe("runs and processes", async () => {
  await import("./limits.ts")
})
describe("terminals", async () => {
  await import("./terminal-limits.ts")
})
describe("of all limits", () => expectAll())

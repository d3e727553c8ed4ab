import { describe } from "vitest"
import { expectAll } from "./overfill.ts"

describe("files and folders", async () => {
  await import("./limits.ts")
})
describe("archives", async () => {
  await import("./archive-limits.ts")
})
describe("searches", async () => {
  await import("./search.ts")
  await import("./search-waiting.ts")
})
describe("watches", async () => {
  await import("./watch.ts")
})
describe("of all limits", () => expectAll())

import { describe } from "vitest"
import { expectAll } from "./overfill.ts"

describe("installs", async () => {
  await import("./bounds.ts")
})
describe("what is downloaded and unpacked", async () => {
  await import("./download-bounds.ts")
})
describe("programs and what they say", async () => {
  await import("./program-bounds.ts")
})
describe("of all limits", () => expectAll())

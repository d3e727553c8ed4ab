import { describe } from "vitest"
import { expectAll } from "./overfill.ts"

describe("connections and their messages", async () => {
  await import("./limits.ts")
  await import("./no-room.ts")
  await import("./recent-prompts.ts")
  await import("./come-back.ts")
  await import("./state-chars.ts")
})
describe("pages as clients see them", async () => {
  await import("./pages.ts")
})
describe("clients that take little or nothing", async () => {
  await import("./socket-bytes.ts")
  await import("./long-messages.ts")
  await import("./refusals.ts")
})
describe("of all limits", () => expectAll())

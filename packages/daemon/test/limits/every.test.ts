import { describe } from "vitest"
import { expectAll } from "./overfill.ts"

/** Every limit is overfilled here; what is not is named at the end. */
describe("what clients send", async () => {
  await import("./input.ts")
  await import("./sign-in.ts")
})
describe("what agents say", async () => {
  await import("./agent.ts")
})
describe("what agents and users leave in files", async () => {
  await import("./files.ts")
})
describe("what an agent is told of a session it does not remember", async () => {
  await import("./brief.ts")
})
describe("processes", async () => {
  await import("./process.ts")
  await import("./mcp-stderr.ts")
  await import("./shared.ts")
  await import("./shutdown.ts")
})
describe("sessions", async () => {
  await import("./sessions.ts")
})
describe("the store", async () => {
  await import("./store.ts")
  await import("./redo.ts")
  await import("./event-rate.ts")
})
describe("readers of streams and answers", async () => {
  await import("./readers.ts")
  await import("./answers.ts")
  await import("./streams.ts")
  await import("./unsent.ts")
})
describe("memory and files of the daemon", async () => {
  await import("./busy-gc.ts")
  await import("./idle-gc.ts")
  await import("./open-files.ts")
})
describe("the command line", async () => {
  await import("./doctor.ts")
})
describe("intervals", async () => {
  await import("./intervals.ts")
})
describe("of all limits", () => expectAll())

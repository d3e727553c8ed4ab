import { limits } from "@sandbox-agent/schema/limits"
import { expect, test } from "vitest"
import { MemoryGone } from "../../../src/core/driver.ts"
import { forkSession } from "../../../src/core/fork.ts"
import { closeProcess } from "../../../src/core/process.ts"
import { forgotten } from "../../../src/drivers/acp/forgotten.ts"
import { RpcError } from "../../../src/drivers/acp/peer.ts"
import { startForgetful } from "./forgetful.ts"

test.each([[[]], [["says"]]])("a session the agent does not know goes on, whenever it says so (%j)", async (words) => {
  await using stage = await startForgetful(...words)
  await stage.run("the word is papaya")
  await closeProcess(stage.session)
  expect(await stage.run("what was it")).toMatchObject({ stop_reason: "end_turn" })
  const [, answer] = stage.transcript().slice(-2)
  expect(answer).toContain("the word is papaya")
  expect(answer).toMatch(/<session-brief>[\s\S]*<\/session-brief>\nwhat was it$/)
  expect(stage.transcript().filter((line) => line.startsWith("user:"))).toEqual([
    "user: the word is papaya",
    "user: what was it",
  ])
  const rebuilt = stage.of("session.updated").filter(({ data }) => data.context === "rebuilt")
  expect(rebuilt.map(({ data }) => data.reason)).toEqual([expect.stringContaining("thread not found")])
  expect(stage.wrongs()).toEqual([])
})

const fails = (code: number, message: string) => ["fails", String(code), message]

test.each([
  [fails(-32603, "Internal error")],
  [fails(-32603, "Unexpected token g in JSON at position 0")],
  [fails(-32602, "schema version 3 is not supported")],
  [fails(-32601, "Method not found")],
  [["hangs"]],
])("one that fails again and again to go on goes on with a brief (%j)", async (words) => {
  await using stage = await startForgetful(...words)
  await stage.run("the word is papaya")
  await closeProcess(stage.session)
  // A slow machine has all its time to start it; this one never answers.
  const ends = await stage.waiting(words[0] === "hangs" ? { openMs: 3_000 } : {}, async () => {
    const failed = []
    for (let n = 1; n < limits.resumeTries; n++) failed.push(await stage.run("what was it"))
    return [...failed, await stage.run("what was it")]
  })
  expect(ends.map(({ stop_reason }) => stop_reason)).toEqual(["error", "end_turn"])
  expect(stage.transcript().at(-1)).toContain("the word is papaya")
  const rebuilt = stage.of("session.updated").filter(({ data }) => data.context === "rebuilt")
  expect(rebuilt.map(({ data }) => data.reason)).toEqual([expect.stringMatching(/^it cannot go on with it: /)])
  expect(stage.wrongs()).toEqual([])
})

test("a fork of its own that fails again and again begins with a brief", async () => {
  await using stage = await startForgetful()
  await stage.run("the word is papaya")
  const { session, healthy } = await forkSession(stage.core.sessions, stage.session, { id: "fork" })
  stage.keep(session)
  expect(healthy).toBe(false)
  expect(await stage.run("what was it", session)).toMatchObject({ stop_reason: "end_turn" })
  expect(stage.transcript(session).at(-1)).toContain("the word is papaya")
})

const isForgotten = (message: string, { method = "session/resume", code = -32603 } = {}) =>
  forgotten(new RpcError(method, { code, message }), "Agent") instanceof MemoryGone

test.each([
  "Session not found: 1",
  "no rollout found for thread id 1",
  "thread not found: 1",
  "No saved session for 1",
  "Failed to parse transcript",
  "conversation 1 does not exist",
])("forgotten: %s", (words) => {
  expect(isForgotten(words)).toBe(true)
})

test.each([
  "Failed to load session: network unreachable",
  "model not found",
  "Failed to load session: invalid api key",
  "internal error",
])("not forgotten: %s", (words) => {
  expect(isForgotten(words)).toBe(false)
})

test("the protocol's own code needs no words, a call of another kind has none", () => {
  expect(isForgotten("what", { code: -32002 })).toBe(true)
  expect(isForgotten("Session not found", { code: -32000 })).toBe(false)
  expect(isForgotten("Session not found", { method: "session/new" })).toBe(false)
})

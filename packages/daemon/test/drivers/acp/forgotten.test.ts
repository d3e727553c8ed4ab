import { fileURLToPath } from "node:url"
import { acpAgentLimits } from "@sandbox-agent/schema/driver-limits"
import { expect, test } from "vitest"
import { MemoryGone } from "../../../src/core/driver.ts"
import { closeProcess } from "../../../src/core/process.ts"
import { createAcpDriver } from "../../../src/drivers/acp/driver.ts"
import { forgotten } from "../../../src/drivers/acp/forgotten.ts"
import { RpcError } from "../../../src/drivers/acp/peer.ts"
import { createSupervisor } from "../../../src/supervisor/supervisor.ts"
import { alwaysThere, DriverStage } from "../stage.ts"

const program = fileURLToPath(new URL("./forgetful-agent.ts", import.meta.url))

async function startForgetful(...words: string[]): Promise<DriverStage> {
  const agent = { id: "forgetful", name: "Forgetful", args: [], env: {}, traits: { sessions: "one" as const } }
  const command = [process.execPath, "--no-env-file", program, ...words]
  const programs = alwaysThere({ installed: true, credentials: "available", command })
  const stage = new DriverStage(createAcpDriver({ agent, programs }), (daemonId) =>
    createSupervisor({ daemonId, log: () => {} }),
  )
  await stage.create("one", { agent: "forgetful" })
  return stage
}

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

test("one that takes longer than unknownSessionMs to say so has had the message, and the next one works", async () => {
  await using stage = await startForgetful("late", String(acpAgentLimits.unknownSessionMs + 1_000))
  await stage.run("the word is papaya")
  await closeProcess(stage.session)
  expect(await stage.run("lost")).toMatchObject({ stop_reason: "error" })
  expect(await stage.run("what was it")).toMatchObject({ stop_reason: "end_turn" })
  expect(stage.transcript().at(-1)).toContain("the word is papaya")
  expect(stage.wrongs()).toEqual([])
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

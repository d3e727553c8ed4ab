import { type ErrorCode, SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import { expect, test } from "vitest"
import { forkSession } from "../../src/core/fork.ts"
import { LoginMissing } from "../../src/core/login.ts"
import { ensureOpen } from "../../src/core/opening.ts"
import { closeProcess } from "../../src/core/process.ts"
import { VersionNotSupported } from "../../src/core/programs.ts"
import { checkLog } from "./checks.ts"
import { kinds, rebuilt, turn } from "./conversation.ts"
import type { Opening } from "./puppet.ts"
import { type Stage, setStage } from "./stage.ts"

/** Fails whenever it is to go on with something. */
const failing =
  (error: unknown) =>
  async ({ options }: Opening): Promise<void> => {
    if (options.from.kind !== "new") throw error
  }

const typed = (code: ErrorCode, detail: string, context: ConstructorParameters<typeof SandboxAgentError>[2] = {}) =>
  new SandboxAgentError(code, detail, context)

async function failed(stage: Stage, times: number): Promise<void> {
  const before = stage.of("turn.ended").length
  for (let n = 1; n <= times; n++) {
    await stage.post("again")
    await stage.until("turn.ended", () => stage.of("turn.ended").length === before + n)
  }
}

test.each([
  new Error("Unexpected token g in JSON at position 0"),
  typed("unavailable", "Agent: Internal error"),
  typed("invalid_request", "schema version 3 is not supported"),
  typed("not_supported", "Agent does not serve session/load"),
  typed("timeout", "agent puppet did not start within 60000 ms"),
  typed("stream_error", "the server broke off"),
])("what fails again and again at what it kept begins anew: %s", async (error) => {
  await using stage = await setStage()
  await turn(stage, "one", "1")
  await closeProcess(stage.session)
  stage.puppet.behaviour.open = failing(error)
  await failed(stage, limits.resumeTries - 1)
  expect(rebuilt(stage)).toEqual([])
  expect((await turn(stage, "two", "2")).brief).toContain("one")
  expect(rebuilt(stage)).toMatchObject([{ reason: expect.stringMatching(/^it cannot go on with it: /) }])
  stage.puppet.behaviour.open = undefined
  await closeProcess(stage.session)
  expect((await turn(stage, "three", "3")).brief).toBeUndefined()
  expect([kinds(stage).at(-1), stage.session.record.resumeFailures]).toEqual(["resume", undefined])
  expect(checkLog(stage.events())).toEqual([])
})

test.each([
  new LoginMissing("unavailable", "no key"),
  new VersionNotSupported("puppet", "2.0 is too new"),
  typed("unavailable", "Agent: Authentication required. To log in, set KEY"),
  typed("unavailable", "Agent: failed to load the session: network unreachable"),
  typed("invalid_request", "no model big", { option: "model" }),
  typed("agent_not_installed", "Agent is not installed"),
  typed("conflict", "the thread is open elsewhere"),
  typed("agent_process_exited", "killed", { signal: "SIGKILL" }),
  new Error("connect ECONNREFUSED 127.0.0.1:1"),
])("what can be cured, and says nothing of what it kept, is waited for: %s", async (error) => {
  await using stage = await setStage()
  await turn(stage, "one", "1")
  await closeProcess(stage.session)
  stage.puppet.behaviour.open = failing(error)
  await failed(stage, limits.resumeTries + 1)
  expect(rebuilt(stage)).toEqual([])
  stage.puppet.behaviour.open = undefined
  expect((await turn(stage, "two", "2")).brief).toBeUndefined()
})

test("a fork that the agent cannot make begins with a brief", async () => {
  await using stage = await setStage()
  await turn(stage, "one", "1")
  stage.puppet.behaviour.open = failing(typed("unavailable", "Agent: Internal error"))
  const { session, healthy } = await forkSession(stage.core.sessions, stage.session, { id: "fork" })
  expect(healthy).toBe(false)
  expect(session.record.openFrom).toMatchObject({ kind: "fork" })
  await ensureOpen(session)
  expect(rebuilt(stage, session)).toHaveLength(1)
  expect(session.record).toMatchObject({ briefDue: true, openFrom: undefined })
})

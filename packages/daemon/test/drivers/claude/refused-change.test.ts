import { expect, test } from "vitest"
import { createSession } from "../../../src/core/creation.ts"
import { patchSession } from "../../../src/core/settings.ts"
import { createClaudeDriver } from "../../../src/drivers/claude/driver.ts"
import { RecordedProcess } from "../recorded-process.ts"
import { alwaysThere, DriverStage } from "../stage.ts"

interface Native {
  type?: string
  request_id?: string
  request?: { subtype: string; mode?: string }
}

test("a permission mode beside a model that Claude Code refuses is not in force there either", async () => {
  const process = new RecordedProcess<Native>()
  const program = { installed: true, credentials: "available" as const, command: ["claude"] }
  await using stage = new DriverStage(createClaudeDriver({ programs: alwaysThere(program) }), () => process.supervisor)
  const answer = async (subtype: string, more: object = {}) => {
    const { request_id, request } = await process.until((line) => line.request?.subtype === subtype)
    process.say({ type: "control_response", response: { subtype: "success", request_id, response: {}, ...more } })
    return request
  }
  const created = createSession(stage.core.sessions, "changed", { agent: "claude" })
  await answer("initialize")
  await answer("get_settings")
  const { session } = await created
  stage.keep(session)
  const modes: unknown[] = []
  const follows = async (): Promise<void> => {
    modes.push((await answer("set_permission_mode"))?.mode)
    return follows()
  }
  void follows()
  const changed = patchSession(session, { permissionMode: "plan", model: "claude-none" })
  // A name that it does not list it tries.
  const refused = answer("set_model", { subtype: "error", error: "no such model" })
  await expect(changed).rejects.toThrow("no such model")
  await refused
  expect([session.record.permissionMode, modes.at(-1) ?? "default"]).toEqual(["default", "default"])
})

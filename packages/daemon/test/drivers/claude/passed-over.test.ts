import { limits } from "@sandbox-agent/schema/limits"
import { expect, test } from "vitest"
import { createSession } from "../../../src/core/creation.ts"
import { createClaudeDriver } from "../../../src/drivers/claude/driver.ts"
import { RecordedProcess } from "../recorded-process.ts"
import { alwaysThere, DriverStage } from "../stage.ts"

interface Native {
  type?: string
  request_id?: string
  request?: { subtype: string }
  response?: { request_id: string; subtype: string; error?: string }
}

const deep = "[".repeat(limits.agentLineDepth) + "]".repeat(limits.agentLineDepth)

test("a request too deep or too long to be read is refused, and a result ends its turn", async () => {
  const process = new RecordedProcess<Native>()
  const program = { installed: true, credentials: "available" as const, command: ["claude"] }
  await using stage = new DriverStage(createClaudeDriver({ programs: alwaysThere(program) }), () => process.supervisor)
  const created = createSession(stage.core.sessions, "passed-over", { agent: "claude" })
  const { request_id } = await process.until(({ request }) => request?.subtype === "initialize")
  process.say({ type: "control_response", response: { subtype: "success", request_id, response: { models: [] } } })
  // As a version that does not know the request.
  const settings = await process.until(({ request }) => request?.subtype === "get_settings")
  const unknown = { subtype: "error", request_id: settings.request_id, error: "Unsupported control request" }
  process.say({ type: "control_response", response: unknown })
  const { session, healthy } = await created
  expect(healthy).toBe(true)
  stage.keep(session)
  expect(JSON.stringify(stage.of("item.completed"))).toContain("does not say what its settings allow")
  await stage.post("hello")
  await process.until(({ type }) => type === "user")

  process.say(`{"type":"control_request","request_id":"deep","request":{"subtype":"can_use_tool","input":${deep}}}`)
  const head = '{"type":"control_request","request_id":"long","request":{"subtype":"can_use_tool","input":"'
  process.options?.onOversize?.(head, limits.agentLineBytes + 1)
  for (const id of ["deep", "long"]) {
    const { response } = await process.until(({ response }) => response?.request_id === id)
    expect(response).toMatchObject({ subtype: "error", error: expect.stringContaining("was passed over") })
  }
  expect(stage.of("agent.unparsed")).toHaveLength(2)

  const tool = (more: object) => ({ subtype: "can_use_tool", tool_name: "Bash", tool_use_id: "t", input: {}, ...more })
  const unreadable = {
    nothing: undefined,
    suggestions: tool({ permission_suggestions: 5 }),
    file: tool({ tool_name: "Write", input: { file_path: "/x" }, permission_suggestions: 5 }),
    name: tool({ tool_name: 5 }),
    unheard: { subtype: "dance" },
  }
  for (const [request_id, request] of Object.entries(unreadable))
    process.say({ type: "control_request", request_id, request })
  process.say('{"type":"control_request","request_id":"cut","request":{"subtype":')
  for (const id of [...Object.keys(unreadable), "cut"]) {
    const { response } = await process.until(({ response }) => response?.request_id === id)
    expect(response).toMatchObject({ subtype: "error" })
  }
  expect(stage.of("permission.requested")).toEqual([])
  expect(stage.of("agent.unparsed")).toHaveLength(2 + Object.keys(unreadable).length)

  process.options?.onOversize?.('{"type":"result","subtype":"success","is_error":false,"result":"xx', 17_000_000)
  expect(stage.of("turn.ended").map(({ data }) => data.stop_reason)).toEqual(["end_turn"])
  expect(stage.of("error")).toHaveLength(1)
})

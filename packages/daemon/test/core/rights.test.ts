import { expect, test } from "vitest"
import { beginSession } from "../../src/core/creation.ts"
import { setStage } from "./stage.ts"

test("an agent cannot begin a session with MCP servers that are programs; clients can", async () => {
  await using stage = await setStage()
  const { core, puppet } = stage
  const agent = { agentProcess: async () => ({ pid: 1, program: "sh" }) }
  const client = { agentProcess: async () => undefined }
  const program = { command: "/bin/sh", args: ["-c", "touch started"] }
  const remote = { type: "http" as const, url: "http://127.0.0.1:9/mcp" }
  const begin = (id: string, mcp: object, by: typeof agent | typeof client) =>
    beginSession(core.sessions, id, { agent: "puppet", mcp: mcp as never }, by)
  await expect(begin("programs", { remote, program }, agent)).rejects.toMatchObject({ code: "permission_denied" })
  expect(puppet.openings).toHaveLength(1)
  expect((await begin("remote", { remote }, agent)).healthy).toBe(true)
  expect((await begin("programs", { program }, client)).healthy).toBe(true)
})

import { expect, test } from "vitest"
import { Wire } from "../acp/wire.ts"
import { answersIn, play, startPuppet } from "../hostile/puppet.ts"
import { configOf, folder } from "./client.ts"

test("MCP servers that an ACP client brings stand beside those of the directory, also when it goes on", async () => {
  await using daemon = await startPuppet()
  const cwd = folder("project")
  const program = { command: process.execPath, args: ["--version"] }
  await configOf(daemon, cwd).mcp.put("ours", { type: "local", ...program })
  const wire = new Wire(daemon, "/v1/acp/config")
  await wire.initialize({}, "puppet")
  const server = (name: string) => ({ name, ...program, env: [] })
  const meta = { _meta: { "sandboxagent.dev": { requestedSessionId: "one" } } }
  await wire.ask("session/new", { cwd, mcpServers: [server("first")], ...meta })
  const used = async () => answersIn(await play(daemon, "one", [{ servers: true }]))
  expect(await used()).toEqual([["ours", "first"]])
  // The config may change meanwhile; the session keeps what it was made with.
  await configOf(daemon, cwd).mcp.delete("ours")
  await wire.ask("session/load", { sessionId: "one", cwd, mcpServers: [server("second")] })
  expect(await used()).toEqual([["ours", "second"]])
})

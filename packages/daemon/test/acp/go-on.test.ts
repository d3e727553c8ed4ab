import { chmodSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { scratch, startDaemon } from "../harness/daemon.ts"
import { startPuppet } from "../hostile/puppet.ts"
import { type Json, Wire } from "./wire.ts"

const ours = (value: Json): Json => ({ _meta: { "sandboxagent.dev": value } })
const methods = ["session/load", "session/resume", "session/fork"]

test("who goes on with a session may name its own MCP servers or none, and is refused others", async () => {
  await using daemon = await startPuppet()
  const wire = new Wire(daemon, "/v1/acp/mcp")
  await wire.initialize({}, "puppet")
  const server = { name: "files", command: process.execPath, args: ["--version"], env: [{ name: "A", value: "1" }] }
  const made = await wire.ask("session/new", {
    cwd: "/tmp",
    mcpServers: [server],
    ...ours({ requestedSessionId: "one" }),
  })
  expect(made.error).toBeUndefined()
  for (const method of methods) {
    const ask = (mcpServers: unknown) => wire.ask(method, { sessionId: "one", cwd: "/tmp", mcpServers })
    for (const mcpServers of [undefined, [], [server]])
      expect((await ask(mcpServers)).error?.message ?? "", method).not.toContain("mcpServers")
    const other = await ask([{ ...server, args: [] }])
    expect(other.error, method).toMatchObject({ data: { option: "mcpServers" } })
    expect(other.error?.message).toContain("mcpServers: session one keeps the MCP servers it was made with")
    expect((await ask([{ name: "x" }])).error?.message, method).toContain("mcpServers.0")
  }
})

test("who loads or resumes a closed session is told when its agent does not start", async () => {
  const dataDir = scratch()
  const program = join(dataDir, "agent.sh")
  const say = (line: string) => writeFileSync(program, `#!/bin/sh\n${line}\n`)
  const agent = join(import.meta.dirname, "../hostile/puppet-agent.ts")
  say(`exec ${process.execPath} --no-env-file ${agent}`)
  chmodSync(program, 0o755)
  const agents = [
    { id: "frail", name: "Frail", version: "1.0.0", distribution: { command: { cmd: program, args: [] } } },
  ]
  writeFileSync(join(dataDir, "agents.json"), JSON.stringify({ agents }))
  const begin = async () => {
    const daemon = await startDaemon({ dataDir })
    const wire = new Wire(daemon, "/v1/acp/frail")
    await wire.initialize({}, "frail")
    return { daemon, wire }
  }
  const first = await begin()
  const place = { cwd: "/tmp", mcpServers: [] }
  const made = await first.wire.ask("session/new", { ...place, ...ours({ requestedSessionId: "one" }) })
  expect(made.error).toBeUndefined()
  await first.wire.ask("session/close", { sessionId: "one" })
  // Its process would serve the session once more.
  await first.daemon.stop()
  say("exit 3")
  const { daemon, wire } = await begin()
  onTestFinished(async () => {
    await daemon.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  for (const method of methods.slice(0, 2)) {
    const { result, error } = await wire.ask(method, { sessionId: "one", ...place })
    expect(error, method).toBeUndefined()
    expect(result, method).toMatchObject(ours({ healthy: false, error: { message: expect.any(String) } }))
    await wire.ask("session/close", { sessionId: "one" })
  }
})

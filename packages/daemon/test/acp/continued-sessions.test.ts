import { chmodSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { scratch, startDaemon } from "../harness/daemon.ts"
import { answersIn, play, startPuppet } from "../hostile/puppet.ts"
import { type Json, Wire } from "./wire.ts"

const ours = (value: Json): Json => ({ _meta: { "sandboxagent.dev": value } })

test("who goes on with a session may bring other MCP servers; none named are those it has", async () => {
  await using daemon = await startPuppet()
  const wire = new Wire(daemon, "/v1/acp/mcp")
  await wire.initialize({}, "puppet")
  const server = (name: string) => ({ name, command: process.execPath, args: ["--version"], env: [] })
  const place = { cwd: "/tmp", mcpServers: [server("first")] }
  const made = await wire.ask("session/new", { ...place, ...ours({ requestedSessionId: "one" }) })
  expect(made.error).toBeUndefined()
  const used = async () => answersIn(await play(daemon, "one", [{ servers: true }]))
  const goOn = (method: string, mcpServers?: object[]) =>
    wire.ask(method, { sessionId: "one", cwd: "/tmp", mcpServers: mcpServers ?? [] })
  expect(await used()).toEqual([["first"]])
  for (const method of ["session/load", "session/resume"]) {
    const other = server(method)
    expect((await goOn(method)).error, method).toBeUndefined()
    expect((await goOn(method, [other])).error, method).toBeUndefined()
    expect(await used(), method).toEqual([[method]])
    // The same once more opens nothing anew.
    const { lastSequence } = await daemon.api.session("one")
    await goOn(method, [{ ...other, env: [] }])
    expect((await daemon.api.session("one")).lastSequence, method).toBe(lastSequence)
    expect((await goOn(method, [{ name: "x" }])).error?.message, method).toContain("mcpServers.0")
    const gone = await goOn(method, [{ ...other, command: "/nowhere/at-all" }])
    expect(gone.error?.message, method).toContain("/nowhere/at-all")
    expect(await used(), method).toEqual([[method]])
  }
  // They are the session's: also after a restart.
  const { dataDir } = daemon
  await daemon.stop()
  await using again = await startDaemon({ dataDir })
  expect(answersIn(await play(again, "one", [{ servers: true }]))).toEqual([["session/resume"]])
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
  for (const method of ["session/load", "session/resume"]) {
    const { result, error } = await wire.ask(method, { sessionId: "one", ...place })
    expect(error, method).toBeUndefined()
    expect(result, method).toMatchObject(ours({ healthy: false, error: { message: expect.any(String) } }))
    await wire.ask("session/close", { sessionId: "one" })
  }
})

import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Agent, Mode, Model } from "@sandbox-agent/schema/agent"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { scratch, startDaemon } from "../harness/daemon.ts"
import { sseEvents } from "../harness/sse.ts"
import { type CheckedDaemon, startChecked } from "./checked-api.ts"
import { expectProblem } from "./contract-check.ts"
import { outputOf } from "./transcript.ts"

let daemon: CheckedDaemon
beforeAll(async () => {
  daemon = await startChecked()
})
afterAll(() => daemon.finish())

describe("agents", () => {
  test("mock is always there, installed and usable", async () => {
    const { agents } = await daemon.api.ok<{ agents: Agent[] }>("GET", "/v1/agents")
    const mock = agents.find((agent) => agent.id === "mock")
    expect(mock).toMatchObject({ name: "Mock", stability: "stable", installed: true, credentialsAvailable: true })
    expect(mock).toMatchObject({ source: "builtin", version: expect.any(String) })
    expect(mock?.capabilities).toMatchObject({ permissions: true, steer: true, fork: true, sharedProcess: false })
    expect((await daemon.api.ok<{ agents: Agent[] }>("GET", "/v2/agents")).agents.map((agent) => agent.id)).toEqual(
      agents.map((agent) => agent.id),
    )
  })

  test("its process is shown while it lives", async () => {
    const { api } = daemon
    expect((await api.ok<Agent>("GET", "/v1/agents/mock")).process).toEqual({ status: "stopped", restartCount: 0 })
    await api.create("alive", { permissionMode: "bypass" })
    const pid = Number(outputOf(await api.turn("alive", "/run echo $PPID"))[0])
    const { process } = await api.ok<Agent>("GET", "/v1/agents/mock")
    expect(process).toMatchObject({ status: "running", pid })
    expect(process.rssBytes).toBeGreaterThan(1_000_000)
    // Of several the one that was started last.
    await api.create("later", { permissionMode: "bypass" })
    const later = Number(outputOf(await api.turn("later", "/run echo $PPID"))[0])
    expect((await api.ok<Agent>("GET", "/v1/agents/mock")).process.pid).toBe(later)
    await api.ok("POST", "/v1/sessions/later/terminate")
    expect(process.uptimeMs).toBeGreaterThanOrEqual(0)
    await api.ok("POST", "/v1/sessions/alive/terminate")
    expect((await api.ok<Agent>("GET", "/v1/agents/mock")).process.status).toBe("stopped")
  })

  test("modes and models are listed, and each can be used", async () => {
    const { api } = daemon
    const { modes } = await api.ok<{ modes: Mode[] }>("GET", "/v1/agents/mock/modes")
    expect(modes.map((mode) => mode.id)).toEqual(["build", "plan"])
    const { models, defaultModel } = await api.ok<{ models: Model[]; defaultModel: string }>(
      "GET",
      "/v1/agents/mock/models",
    )
    expect(models.map((model) => model.id)).toContain(defaultModel)
    for (const { id, variants } of models)
      for (const variant of [undefined, ...variants])
        expect((await api.create(`${id}-${variant}`, { model: id, variant })).healthy).toBe(true)
  })

  test("an installed agent needs no install: the answer says what is there", async () => {
    const { api } = daemon
    const { version } = await api.ok<Agent>("GET", "/v1/agents/mock")
    for (const path of ["/v1/agents/mock/install", "/v2/agents/mock/install"])
      for (const body of [undefined, {}, { reinstall: true }])
        expect(await api.ok("POST", path, body)).toEqual({ installed: true, version })
  })

  test("a version that it does not have is refused, at install as at create", async () => {
    const { api } = daemon
    const { version } = await api.ok<Agent>("GET", "/v1/agents/mock")
    for (const [given, code] of [
      ["1.2.3", "not_supported"],
      ["../../x", "invalid_request"],
    ] as const)
      for (const [path, body] of [
        ["/v1/agents/mock/install", { version: given }],
        ["/v1/sessions/of-a-version", { agent: "mock", agentVersion: given }],
      ] as const) {
        const answer = await api.call("POST", path, body)
        expectProblem(answer, code)
        if (code === "not_supported") expect(answer.body).toMatchObject({ option: "agentVersion" })
      }
    expectProblem(await api.call("GET", "/v1/sessions/of-a-version"), "session_not_found")
    expect(await api.ok("POST", "/v1/agents/mock/install", { version })).toEqual({ installed: true, version })
  })

  test("install as a stream ends with install.done", async () => {
    const headers = { ...daemon.api.headers, accept: "text/event-stream" }
    const response = await fetch(`${daemon.url}/v1/agents/mock/install`, { method: "POST", headers })
    expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/)
    const frames = await Array.fromAsync(sseEvents(response))
    expect(JSON.parse(frames.at(-1)?.data ?? "{}")).toMatchObject({ type: "install.done", installed: true })
  })

  test("an agent nobody knows is refused everywhere, with the list of those we know", async () => {
    const { api } = daemon
    const requests = [
      ["GET", "/v1/agents/nobody"],
      ["GET", "/v1/agents/nobody/modes"],
      ["GET", "/v1/agents/nobody/models"],
      ["POST", "/v1/agents/nobody/install"],
      ["POST", "/v1/sessions/unknown-agent", { agent: "nobody" }],
    ] as const
    for (const [method, path, body] of requests) {
      const answer = await api.call(method, path, body)
      expectProblem(answer, "unsupported_agent")
      expect(answer.body).toMatchObject({ agent: "nobody", agents: expect.arrayContaining(["mock"]) })
    }
    expectProblem(await api.call("GET", "/v1/sessions/unknown-agent"), "session_not_found")
  })
})

test("an agent that was lost and came back is counted, with what was wrong last", async () => {
  await using fresh = await startDaemon()
  const process = async () => (await fresh.api.ok<Agent>("GET", "/v1/agents/mock")).process
  await fresh.api.create("one")
  expect(await process()).toMatchObject({ status: "running", restartCount: 0, pid: expect.any(Number) })
  await fresh.api.turn("one", "/crash 3")
  expect(await process()).toMatchObject({ status: "failed", restartCount: 0, lastError: expect.stringContaining("3") })
  await fresh.api.turn("one", "back")
  expect(await process()).toMatchObject({ status: "running", restartCount: 1, rssBytes: expect.any(Number) })
})

test("a program named in the configuration is used, and its version is asked at request time", async () => {
  const directory = scratch()
  const program = join(directory, "my-claude")
  writeFileSync(program, "#!/bin/sh\necho '9.8.7 (Claude Code)'\n", { mode: 0o755 })
  await using configured = await startDaemon({ flags: ["--agent-path", `claude=${program}`] })
  const agent = () => configured.api.ok<{ installed: boolean; version?: string }>("GET", "/v1/agents/claude")
  // A list does not wait for a program that is slow to tell its version.
  await expect.poll(agent).toMatchObject({ installed: true, version: "9.8.7", path: program, source: "config" })
  writeFileSync(program, "#!/bin/sh\necho '9.8.8 (Claude Code, newer)'\n", { mode: 0o755 })
  await expect.poll(agent).toMatchObject({ version: "9.8.8" })
})

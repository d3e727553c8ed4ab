import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { reply, toolCall } from "@sandbox-agent/scripted-model/script"
import { describe, expect, test } from "vitest"
import { cancelTurn } from "../../../src/core/cancel.ts"
import type { Sink } from "../../../src/core/driver-sink.ts"
import { createCodexDriver } from "../../../src/drivers/codex/driver.ts"
import { McpServers } from "../../../src/drivers/codex/mcp-servers.ts"
import { alwaysThere, DriverStage } from "../stage.ts"
import { labServer } from "./mcp-server.ts"
import { RecordedServer } from "./recorded-server.ts"
import { sharedLive } from "./shared-live.ts"

const shared = sharedLive()
const bypass = { permissionMode: "bypass" } as const
const look = reply(toolCall("look", {}, { namespace: "mcp__lab" }))

/** The same server, behind something of a shell. */
function behind(words: string) {
  const { command, args, env } = labServer(shared.live.directory)
  return { command: "sh", args: ["-c", `${words} exec "$0" "$@"`, command, ...args], env }
}

describe("the first message waits for MCP servers", { timeout: 180_000 }, () => {
  test("that are slow to start: their tools are there", async () => {
    const { live } = shared
    const session = await live.open([look, "done"], { ...bypass, mcp: { lab: behind("sleep 3;") } })
    expect(await live.run("go", session)).toMatchObject({ stop_reason: "end_turn" })
    expect(live.transcript(session).slice(1, 3)).toEqual(["call mcp__lab__look", "result look done here"])
    expect(live.wrongs()).toEqual([])
  })

  test("also where what they write to stderr cannot be kept", async () => {
    const { live } = shared
    const mcp = { lab: behind("") }
    await live.open([], { ...bypass, mcp })
    const folder = join(live.directory, "agents/codex/mcp-stderr")
    rmSync(folder, { recursive: true })
    writeFileSync(folder, "no folder")
    const session = await live.open([look, "done"], { ...bypass, mcp })
    rmSync(folder)
    expect(await live.run("go", session)).toMatchObject({ stop_reason: "end_turn" })
    expect(live.transcript(session).slice(1, 3)).toEqual(["call mcp__lab__look", "result look done here"])
    expect(live.wrongs()).toEqual([])
  })

  test("and for none that fails, which is told; an interrupt ends the wait", async () => {
    const { live } = shared
    const broken = await live.open(["on"], { ...bypass, mcp: { lab: behind("echo out of order >&2; exit 3;") } })
    expect(await live.run("go", broken)).toMatchObject({ stop_reason: "end_turn" })
    expect(live.labels(broken)).toContain("codex.mcp_failed")
    const details = live
      .items(broken)
      .flatMap(({ content }) => content.map((part) => part.type === "status" && part.detail))
    expect(details).toEqual(expect.arrayContaining([expect.stringMatching(/^lab: .+\nout of order$/s)]))
    const slow = await live.open(["never"], { ...bypass, mcp: { lab: behind("sleep 600;") } })
    const turn = live.run("go", slow)
    await live.until("turn.started", undefined, slow)
    expect(await cancelTurn(slow, {})).toMatchObject({ ended: true })
    expect(await turn).toMatchObject({ stop_reason: "cancelled" })
    expect(live.requests(slow)).toEqual([])
    expect(live.wrongs()).toEqual([])
  })
})

const statusOf = (name: string, status: string) => ({
  method: "mcpServer/startupStatus/updated",
  params: { threadId: "t", name, status, error: status === "failed" ? "out of order" : null },
})

test("a failure that is told with the answer to the opening is not lost", async () => {
  const server = new RecordedServer()
  const program = { installed: true, credentials: "available" as const, command: ["codex"] }
  const driver = createCodexDriver({ programs: alwaysThere(program), version: "0" })
  await using stage = new DriverStage(driver, () => server.supervisor)
  const created = stage.create("told", { agent: "codex" })
  const { id } = await server.until(({ method }) => method === "thread/start")
  // As they come in one piece.
  server.say({ id, result: { thread: { id: "t", path: null }, model: "m" } })
  server.say(statusOf("lab", "starting"))
  server.say(statusOf("lab", "failed"))
  await created
  expect(stage.labels()).toEqual(["codex.mcp_failed"])
})

describe("the wait", () => {
  const sink = new Proxy({} as Sink, { get: () => () => undefined })
  const { signal } = new AbortController()

  test("ends when the last has started or failed, given or not", async () => {
    const servers = new McpServers(["a"], { mcpStatusMs: 600_000, mcpStartMs: 600_000 })
    servers.receive(statusOf("b", "starting"), sink)
    let over = false
    const waiting = servers.started(signal).then(() => {
      over = true
    })
    servers.receive(statusOf("a", "ready"), sink)
    await Promise.resolve()
    expect(over).toBe(false)
    servers.receive(statusOf("b", "failed"), sink)
    await waiting
  })
})

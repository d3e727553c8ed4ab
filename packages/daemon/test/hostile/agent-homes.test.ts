import { execFileSync } from "node:child_process"
import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { mcpProbe } from "@sandbox-agent/conformance/mcp-probe"
import { limits } from "@sandbox-agent/schema/limits"
import { startScriptedModel } from "@sandbox-agent/scripted-model"
import { claudeBinary } from "@sandbox-agent/test-agents/claude"
import { codexBinary } from "@sandbox-agent/test-agents/codex"
import { opencodeBinary } from "@sandbox-agent/test-agents/opencode"
import { expect, onTestFinished, test } from "vitest"
import { sessionFile } from "../../src/drivers/claude/home.ts"
import { type DaemonOptions, scratch as freshFolder, startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { childrenOf, gone } from "../supervisor/processes.ts"
import { startPuppet } from "./puppet.ts"

function scratch(): string {
  const folder = freshFolder()
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** One that a freeze does not keep from ending with its test. */
async function started(options: DaemonOptions = {}): Promise<TestDaemon> {
  const dataDir = options.dataDir ?? scratch()
  const daemon = await startDaemon({ ...options, dataDir })
  onTestFinished(async () => {
    const agents = childrenOf(daemon.pid)
    daemon.kill()
    await daemon.exited
    // They write into the folders that go next, until the watcher has ended them.
    for (const pid of agents) await gone(pid)
  })
  return daemon
}

function pipe(path: string): string {
  rmSync(path, { force: true })
  mkdirSync(dirname(path), { recursive: true })
  execFileSync("mkfifo", [path])
  return path
}

const health = ({ api }: TestDaemon) => api.ok("GET", "/v1/health")

const logins = [
  ...[".claude/.credentials.json", ".claude/settings.json", ".claude.json", ".codex/auth.json", ".codex/config.toml"],
  ...[".local/share/opencode/auth.json", ".config/opencode/opencode.json"],
]

test("logins and settings that are pipes or devices keep nobody waiting who asks for agents", async () => {
  const home = scratch()
  for (const name of logins) pipe(join(home, name))
  rmSync(join(home, ".claude.json"))
  symlinkSync("/dev/zero", join(home, ".claude.json"))
  const daemon = await started({ env: { HOME: home, CODEX_HOME: "", XDG_DATA_HOME: "", XDG_CONFIG_HOME: "" } })
  const { agents } = await daemon.api.ok<{ agents: { id: string; credentialsAvailable: boolean }[] }>(
    "GET",
    "/v1/agents",
  )
  expect(agents.map(({ id }) => id)).toEqual(expect.arrayContaining(["claude", "codex", "opencode"]))
  await health(daemon)
})

test.each([
  ["codex", codexBinary, "CODEX_HOME", "config.toml"],
  ["opencode", opencodeBinary, "XDG_DATA_HOME", "opencode/auth.json"],
] as const)("a home of %s with a pipe in it stops its own session alone", async (agent, program, name, file) => {
  const home = scratch()
  pipe(join(home, file))
  const daemon = await started({ flags: ["--agent-path", `${agent}=${program()}`], intervals: { openMs: 2_000 } })
  const created = daemon.api.call("POST", "/v1/sessions/piped", { agent, env: { HOME: home, [name]: home } })
  // Health first, and a session of another agent: both are answered while that one starts, or does not.
  await health(daemon)
  await daemon.api.create("other")
  expect((await created).status).toBe(201)
  await health(daemon)
})

test("files that the daemon keeps of agents are read and made anew, whatever is in their place", async () => {
  const { dataDir, api, pid, ...first } = await startPuppet()
  onTestFinished(() => {
    first.kill()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const learned = join(dataDir, "agents", "puppet", "learned.json")
  pipe(learned)
  pipe(`${learned}.${pid}`)
  await api.create("one", { agent: "puppet" })
  expect(JSON.parse(readFileSync(learned, "utf8"))).toMatchObject({ mcpTools: true })
  await first.stop()
  pipe(learned)
  const again = await started({ dataDir })
  await again.api.create("two", { agent: "puppet" })
  const entries = () => again.api.ok<{ agents: { id: string }[] }>("GET", "/v1/agents")
  pipe(join(dataDir, "agents.json"))
  expect((await entries()).agents.map(({ id }) => id)).toContain("puppet")
  expect(again.stderr()).toContain("is not a regular file")
})

test("an installed version whose record is a pipe does not count, and is waited for by nobody", async () => {
  const daemon = await started()
  for (let n = 0; n < 12; n++) pipe(join(daemon.dataDir, "bin", "claude", `9.0.${n}`, "installation.json"))
  symlinkSync("9.0.0", join(daemon.dataDir, "bin", "claude", "current"))
  const { source } = await daemon.api.ok<{ source?: string }>("GET", "/v1/agents/claude")
  expect(source).not.toBe("managed")
  await daemon.api.create("after")
})

test("a transcript that is a pipe or never ends is not adopted, and takes no thread of the daemon", async () => {
  const home = scratch()
  const flags = ["--agent-path", `claude=${claudeBinary()}`]
  const daemon = await started({ flags, env: { CLAUDE_CONFIG_DIR: home } })
  const adopt = (agent: string, nativeSessionId: string, n: number) =>
    daemon.api.call("POST", `/v1/sessions/${agent}-${n}`, { agent, nativeSessionId })
  const mock = pipe(join(daemon.dataDir, "agents", "mock", "sessions", "piped.jsonl"))
  const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => adopt("mock", "piped", n)))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404))
  rmSync(mock)
  writeFileSync(mock, "")
  truncateSync(mock, limits.transcriptBytes + 1)
  expect(await adopt("mock", "piped", 12)).toMatchObject({ status: 413 })
  const id = crypto.randomUUID()
  const claude = pipe(join(home, "projects", "-work", `${id}.jsonl`))
  const refused = await Promise.all(Array.from({ length: 12 }, (_, n) => adopt("claude", id, n)))
  expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 400))
  rmSync(claude)
  writeFileSync(claude, "")
  truncateSync(claude, limits.transcriptBytes + 1)
  expect(await adopt("claude", id, 12)).toMatchObject({ status: 413 })
  await health(daemon)
  await daemon.api.create("after")
})

test("the file with MCP servers for Claude Code is made anew", async () => {
  await using model = await startScriptedModel()
  const daemon = await started({ flags: ["--agent-path", `claude=${claudeBinary()}`] })
  const file = pipe(join(daemon.dataDir, "agents", "claude", "sessions", "piped", "mcp.json"))
  const env = {
    HOME: scratch(),
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: "dummy",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  }
  const mcp = { probe: mcpProbe(scratch()) }
  expect((await daemon.api.create("piped", { agent: "claude", env, mcp })).healthy).toBe(true)
  expect(statSync(file, { throwIfNoEntry: false })).toBeUndefined()
})

test("a session of Claude Code is looked for among thousands of projects while others have their turn", async () => {
  const home = scratch()
  const id = crypto.randomUUID()
  for (let i = 0; i < 5_000; i++) mkdirSync(join(home, "projects", `p${i}`), { recursive: true })
  let turns = 0
  const timer = setInterval(() => turns++, 0)
  expect(await sessionFile(home, id)).toBeUndefined()
  expect(turns).toBeGreaterThan(1)
  clearInterval(timer)
  const file = join(home, "projects", "p4321", `${id}.jsonl`)
  writeFileSync(file, "")
  expect(await sessionFile(home, id)).toBe(file)
  expect(await sessionFile(home, `../p4321/${id}`)).toBeUndefined()
  expect(await sessionFile(join(home, "none"), id)).toBeUndefined()
})

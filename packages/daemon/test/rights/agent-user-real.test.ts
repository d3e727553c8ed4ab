import { chmodSync, chownSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { mcpProbe } from "@sandbox-agent/conformance/mcp-probe"
import type { Event } from "@sandbox-agent/schema/event"
import { startScriptedModel } from "@sandbox-agent/scripted-model"
import { reply, toolCall } from "@sandbox-agent/scripted-model/script"
import { claudeBinary } from "@sandbox-agent/test-agents/claude"
import { codexBinary } from "@sandbox-agent/test-agents/codex"
import { full } from "@sandbox-agent/test-agents/extent"
import { opencodeBinary } from "@sandbox-agent/test-agents/opencode"
import { expect, onTestFinished, test } from "vitest"
import { findUser } from "../../src/supervisor/users.ts"
import { configFor } from "../drivers/codex/live.ts"
import { offlineEnvironment } from "../drivers/opencode/environment.ts"
import { scratch, startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { gone } from "../supervisor/processes.ts"
import { openFolder, reachable } from "./reachable.ts"
import { isRoot } from "./users.ts"

const { uid = 0, gid = 0 } = findUser("nobody") ?? {}

function workFolder(): string {
  const folder = openFolder()
  chownSync(folder, uid, gid)
  return folder
}

async function startWith(agent: string, program: string, work: string, behind?: string): Promise<TestDaemon> {
  const flags = ["--agent-user", "nobody", "--agent-path", `${agent}=${reachable(program)}`]
  const daemon = await startDaemon({ cwd: work, flags, ...(behind !== undefined && { behind }) })
  onTestFinished(() => rmSync(`${daemon.dataDir}-nobody`, { recursive: true, force: true }))
  return daemon
}

const skills = [{ name: "poem", content: "# Writes poems\nWrite a POEM-MARK poem." }]

/** What the agent's shell tells of itself and of what it can reach. */
const look = ({ dataDir, pid }: TestDaemon) =>
  `id -un; cat ${dataDir}/sandbox-agent.db || echo no database; cat ${dataDir}/daemon.json || echo no record; kill -0 ${pid} || echo no signal; touch made`

const results = (events: readonly Event[]): string =>
  events
    .flatMap((event) => (event.type === "item.completed" ? event.data.item.content : []))
    .flatMap((part) => (part.type === "tool_result" ? [part.output] : []))
    .join("\n")

function expectKeptOut(events: readonly Event[], work: string): void {
  const reported = results(events)
  for (const words of ["nobody", "no database", "no record", "no signal"]) expect(reported).toContain(words)
  expect(statSync(join(work, "made")).uid).toBe(uid)
}

/** Processes of the agent, which are gone once its session is deleted. */
async function expectReaped({ api }: TestDaemon, agent: string, sessions: string[]): Promise<void> {
  const { process } = await api.ok<{ process: { pid: number } }>("GET", `/v1/agents/${agent}`)
  expect(statSync(`/proc/${process.pid}`).uid).toBe(uid)
  for (const id of sessions) await api.ok("DELETE", `/v1/sessions/${id}`)
  await gone(process.pid)
}

test.skipIf(!isRoot)("Claude Code as another user: tools, skills, MCP, attachments, fork, resume", async () => {
  const work = workFolder()
  await using model = await startScriptedModel()
  await using daemon = await startWith("claude", claudeBinary(), work)
  const { api } = daemon
  const env = {
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: "dummy",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_MAX_RETRIES: "1",
  }
  const mcp = { probe: mcpProbe(openFolder()) }
  const { healthy, session } = await api.create("claude", {
    ...{ agent: "claude", directory: work, permissionMode: "bypass", env, mcp, skills },
  })
  expect([healthy, session.error]).toEqual([true, undefined])
  const attached = join(scratch(), "closed.txt")
  writeFileSync(attached, "ATTACHED-MARK", { mode: 0o600 })
  model.script([
    reply(toolCall("Bash", { command: look(daemon) })),
    reply(toolCall("mcp__probe__ping", {})),
    reply(toolCall("Skill", { skill: "poem" })),
    "done",
  ])
  const events = await api.turn("claude", "look", { attachments: [{ path: attached }] })
  expectKeptOut(events, work)
  expect(results(events)).toContain("pong")
  const asked = JSON.stringify(model.requests.at(-1)?.body)
  expect(asked).toContain("POEM-MARK")
  // Its own process is gone; what it remembers is in the home of its user, and a fork goes on with it.
  await api.terminate("claude")
  await api.resume("claude")
  model.script(["again", "forked"])
  await api.turn("claude", "again")
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("POEM-MARK")
  expect((await api.fork("claude", "fork")).healthy).toBe(true)
  await api.turn("fork", "and now")
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("POEM-MARK")
  await api.ok("DELETE", "/v1/sessions/fork")
  await expectReaped(daemon, "claude", ["claude"])
})

test.skipIf(!isRoot)("Codex as another user: commands, skills, resume", async () => {
  const work = workFolder()
  await using model = await startScriptedModel()
  await using daemon = await startWith("codex", codexBinary(), work)
  const { api } = daemon
  const home = join(`${daemon.dataDir}-nobody`, "home", ".codex")
  mkdirSync(home)
  writeFileSync(join(home, "config.toml"), configFor(model.url))
  for (const made of [home, join(home, "config.toml")]) chownSync(made, uid, gid)
  const { healthy, session } = await api.create("codex", {
    ...{ agent: "codex", directory: work, permissionMode: "bypass", skills },
  })
  expect([healthy, session.error]).toEqual([true, undefined])
  model.script([reply(toolCall("exec_command", { cmd: look(daemon), yield_time_ms: 30_000 })), "done"])
  expectKeptOut(await api.turn("codex", "look"), work)
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("poem")
  await api.terminate("codex")
  await api.resume("codex")
  model.script(["again"])
  await api.turn("codex", "again")
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("no database")
})

test.skipIf(!isRoot || !full)("OpenCode as another user: commands, skills, resume", async () => {
  const work = workFolder()
  await using model = await startScriptedModel()
  const home = workFolder()
  await using daemon = await startWith("opencode", opencodeBinary(), work)
  const { api } = daemon
  const { healthy, session } = await api.create("opencode", {
    ...{ agent: "opencode", directory: work, permissionMode: "bypass", skills },
    env: offlineEnvironment(home, model.url),
  })
  expect([healthy, session.error]).toEqual([true, undefined])
  model.script([reply(toolCall("bash", { command: look(daemon), description: "As told" })), "done"])
  expectKeptOut(await api.turn("opencode", "look"), work)
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("poem")
  await api.terminate("opencode")
  await api.resume("opencode")
  model.script(["again"])
  await api.turn("opencode", "again")
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("no database")
})

/** As a login of root has them; without `setpriv` it has those of whoever runs the test. */
const withGroups = Bun.which("setpriv") === null ? undefined : "exec setpriv --groups=0,4"

test.skipIf(!isRoot).each([
  ["nobody else", 0o600, undefined],
  ["a group of the daemon", 0o640, withGroups],
] as const)(
  "a skill is read with the rights of the agent's user: a link in it leads to nothing of the daemon's (open to %s)",
  async (_, mode, behind) => {
    const work = workFolder()
    const [skill, closed] = [join(work, "skill"), join(openFolder(), "key")]
    mkdirSync(skill)
    writeFileSync(join(skill, "SKILL.md"), "---\nname: leak\ndescription: Leaks\n---\nDo it.")
    writeFileSync(closed, "SECRET-MARK")
    chmodSync(closed, mode)
    symlinkSync(closed, join(skill, "notes.txt"))
    await using daemon = await startWith("claude", claudeBinary(), work, behind)
    const create = { agent: "claude", directory: work, skills: [{ name: "leak", path: "skill" }] }
    expect(await daemon.api.call("POST", "/v1/sessions/leak", create)).toMatchObject({
      status: 403,
      body: { detail: expect.stringMatching(/^skills\.leak: .*key cannot be read by user nobody/) },
    })
    const found = Bun.spawnSync(["grep", "-r", "SECRET-MARK", `${daemon.dataDir}-nobody`])
    expect(found.stdout.toString()).toBe("")
    // One that cannot be read at all is refused at once.
    writeFileSync(join(skill, "SKILL.md"), "---\nname: leak\ndescription: Leaks\n---\nDo it.")
    chmodSync(join(skill, "SKILL.md"), 0o600)
    expect(await daemon.api.call("POST", "/v1/sessions/closed", create)).toMatchObject({
      status: 403,
      body: {
        detail: `skills.leak: ${join(skill, "SKILL.md")} cannot be read by user nobody`,
        hint: expect.stringContaining("whom agents run as"),
      },
    })
  },
)

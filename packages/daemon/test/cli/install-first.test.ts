import { expect, test } from "vitest"
import { startDaemon } from "../harness/daemon.ts"
import { claudeOf, openMirror } from "./install-mirror.ts"
import { cli, temporaryFolder } from "./spawn.ts"
import { atTerminal } from "./terminal.ts"

test("`run` and `chat` say what an agent lacks, once, before anything of it is fetched", async () => {
  using mirror = openMirror(claudeOf("2.1.400"))
  using folder = temporaryFolder()
  for (const words of [
    ["run", "claude", "hi"],
    ["chat", "claude"],
  ]) {
    const { code, screen } = await atTerminal(words, [], folder.path, mirror.env)
    expect(screen.split("claude has no login: ")).toHaveLength(2)
    expect(screen.replace(/\s+/g, " ")).toContain(
      "install it (`sandbox-agent install-agent claude`, which prints its path) and log in with",
    )
    expect(code).toBe(9)
  }
  expect(mirror.asked).toEqual([])
})

test("`run` shows how its agent is installed, with bytes", async () => {
  using mirror = openMirror(claudeOf("2.1.400"))
  using folder = temporaryFolder()
  const words = ["run", "claude", "hi", "--env", "ANTHROPIC_API_KEY=dummy"]
  const { code, screen } = await atTerminal(words, [], folder.path, mirror.env)
  expect(screen).toMatch(/claude: download \[#{30}\] 100% \d+\.\d MiB of \d+\.\d MiB/)
  expect(screen).toContain("claude 2.1.400 installed\n")
  // It only tells its version.
  expect(screen).not.toContain("no login")
  expect(code).toBe(7)
})

test("`sessions create` in a pipe: a line on stderr for each step, the result alone on stdout", async () => {
  using mirror = openMirror(claudeOf("2.1.400"))
  await using daemon = await startDaemon({ env: { ...mirror.env, ANTHROPIC_API_KEY: "" } })
  const env = { SANDBOX_AGENT_URL: daemon.url, SANDBOX_AGENT_TOKEN: daemon.token }
  const create = (id: string) => ["sessions", "create", id, "--agent", "claude", "--env", "ANTHROPIC_API_KEY=dummy"]
  const { code, stdout, stderr } = await cli(create("s"), { env })
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^created s \(claude\) in .+\n$/)])
  expect(stderr).toMatch(/claude: download \(vendor\): .*, \d+\.\d MiB/)
  expect(stderr).toMatch(/^claude: npm @anthropic-ai\/\S+ \S+: .*404/m)
  expect(stderr).toContain("claude 2.1.400 installed\n")
  // It only tells its version.
  expect(stderr).toContain("warning: the session exists, but its agent is not ready: ")
  const again = await cli(create("t"), { env })
  expect(again.stderr).not.toContain("download")
})

test("a daemon that runs is asked for the login of a session before it installs the agent for it", async () => {
  using mirror = openMirror(claudeOf("2.1.400"))
  await using daemon = await startDaemon({ env: { ...mirror.env, ANTHROPIC_API_KEY: "" } })
  const env = { SANDBOX_AGENT_URL: daemon.url, SANDBOX_AGENT_TOKEN: daemon.token }
  const create = ["sessions", "create", "s", "--agent", "claude"]
  const { code, stdout, stderr } = await cli(create, { env })
  expect([code, stdout]).toEqual([9, ""])
  expect(stderr).toMatch(/^error: claude has no login: ANTHROPIC_API_KEY/)
  expect(stderr).not.toContain("next message")
  const told = await cli([...create, "--json"], { env })
  expect([told.code, JSON.parse(told.stderr)]).toEqual([9, expect.objectContaining({ agent: "claude" })])
  expect(mirror.asked).toEqual([])
  expect((await daemon.api.ok<{ sessions: unknown[] }>("GET", "/v1/sessions")).sessions).toEqual([])
  // Installed by itself it is what was asked for, and then the session is made.
  expect((await cli(["agents", "install", "claude"], { env })).code).toBe(0)
  const made = await cli(create, { env })
  expect([made.code, made.stdout]).toEqual([0, expect.stringMatching(/^created s \(claude\)/)])
  expect(made.stderr).toContain("warning: the session exists, but its agent is not ready: claude has no login: ")
  expect(made.stderr).toMatch(/or log in with `\/\S+\/claude auth login`/)
})

test("a conversation that cannot begin leaves no session behind", async () => {
  using mirror = openMirror(claudeOf("2.1.400"))
  using folder = temporaryFolder()
  await using daemon = await startDaemon({ env: { ...mirror.env, ANTHROPIC_API_KEY: "" } })
  const env = { SANDBOX_AGENT_URL: daemon.url, SANDBOX_AGENT_TOKEN: daemon.token }
  expect((await cli(["agents", "install", "claude"], { env })).code).toBe(0)
  // The agent is there, so that its session is made, and is not ready for want of a login.
  const { code, screen } = await atTerminal(["chat", "claude"], [], folder.path, env)
  expect([code, screen]).toEqual([9, expect.stringContaining("claude has no login: ")])
  expect(screen).not.toContain("next message")
  const { sessions } = await daemon.api.ok<{ sessions: unknown[] }>("GET", "/v1/sessions")
  expect(sessions).toEqual([])
})

test("an install for a session says in which directory it cannot be", async () => {
  await using daemon = await startDaemon()
  const forSession = { directory: "/nowhere/at/all" }
  const { status, body } = await daemon.api.call("POST", "/v1/agents/claude/install", { forSession })
  expect([status, body.detail]).toEqual([400, "directory: /nowhere/at/all is not a directory"])
})

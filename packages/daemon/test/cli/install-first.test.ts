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
    expect(screen.replace(/\s+/g, " ")).toContain("install it (`sandbox-agent install-agent claude`) and log in with")
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
  const { code, stdout, stderr } = await cli(["sessions", "create", "s", "--agent", "claude"], { env })
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^created s \(claude\) in .+\n$/)])
  expect(stderr).toMatch(/claude: download \(vendor\): .*, \d+\.\d MiB/)
  expect(stderr).toContain("claude: npm: ")
  expect(stderr).toContain("claude 2.1.400 installed\n")
  expect(stderr).toContain("warning: the session exists, but its agent is not ready: claude has no login: ")
  expect(stderr).toMatch(/or log in with `\/\S+\/claude auth login`/)
  const again = await cli(["sessions", "create", "t", "--agent", "claude"], { env })
  expect(again.stderr).not.toContain("download")
})

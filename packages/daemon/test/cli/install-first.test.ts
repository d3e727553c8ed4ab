import { expect, test } from "vitest"
import { startDaemon } from "../harness/daemon.ts"
import { claudeOf, openMirror } from "./install-mirror.ts"
import { cli, temporaryFolder } from "./spawn.ts"
import { atTerminal } from "./terminal.ts"

test("`run` shows how its agent is installed, with bytes, and then says what it lacks", async () => {
  using mirror = openMirror(claudeOf("2.1.400"))
  using folder = temporaryFolder()
  const { code, screen } = await atTerminal(["run", "claude", "hi"], [], folder.path, mirror.env)
  expect(screen).toMatch(/claude: download \[#{30}\] 100% \d+\.\d MiB of \d+\.\d MiB/)
  expect(screen).toContain("claude 2.1.400 installed\n")
  expect(screen).toContain("error: claude has no login: ")
  expect(code).toBe(9)
})

test("`sessions create` in a pipe: a line on stderr for each step, the result alone on stdout", async () => {
  using mirror = openMirror(claudeOf("2.1.400"))
  await using daemon = await startDaemon({ env: { ...mirror.env, ANTHROPIC_API_KEY: "" } })
  const env = { SANDBOX_AGENT_URL: daemon.url, SANDBOX_AGENT_TOKEN: daemon.token }
  const { code, stdout, stderr } = await cli(["sessions", "create", "s", "--agent", "claude"], { env })
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^created s \(claude\) in .+\n$/)])
  expect(stderr).toContain("claude: download (vendor): ")
  expect(stderr).toContain("claude 2.1.400 installed\n")
  expect(stderr).toContain("warning: the session exists, but its agent is not ready: claude has no login: ")
  const again = await cli(["sessions", "create", "t", "--agent", "claude"], { env })
  expect(again.stderr).not.toContain("download")
})

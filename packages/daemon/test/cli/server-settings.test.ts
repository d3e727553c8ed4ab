import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { startDaemon } from "../harness/daemon.ts"
import { cli, temporaryFolder } from "./spawn.ts"

test.each([
  ["--default-agent", "cluade", 2, "there is no agent cluade; there are claude, "],
  ["--fs-root", "nowhere", 2, "nowhere is not a folder"],
  ["--fs-root", "a-file", 2, "a-file is not a folder"],
  ["--host", "999.1.1.1", 2, "999.1.1.1 is no address of this machine"],
  ["--host", "192.0.2.7", 2, "192.0.2.7 is no address of this machine"],
  ["--agents-file", "nowhere.json", 2, "nowhere.json is not a file"],
])("a server that is given %s %s does not start, and says why", async (flag, value, code, said) => {
  using folder = temporaryFolder()
  writeFileSync(join(folder.path, "a-file"), "")
  const words = ["server", "--port", "0", "--token", "t", "--data-dir", "data", flag, value]
  const ended = await cli(words, { cwd: folder.path })
  expect(ended).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(said) })
  expect(ended.stderr).toContain(flag)
})

test("what would have no effect is told at the start", async () => {
  using folder = temporaryFolder()
  const agents = join(folder.path, "agents.json")
  const entry = { name: "Mine", version: "1.0.0", description: "mine", distribution: { command: { cmd: "/bin/cat" } } }
  const named = (id: string) => ({ id, ...entry })
  writeFileSync(agents, JSON.stringify({ version: "1.0.0", agents: [named("claude"), named("mine")] }))
  await using daemon = await startDaemon({
    flags: [
      ...["--agents-file", agents, "--agent-path", "mock=/bin/cat", "--agent-path", "nope=/bin/cat"],
      ...["--cors-allow-credentials", "--cors-allow-header", "x-mine"],
    ],
  })
  const { agents: listed } = await daemon.api.ok<{ agents: { id: string; name: string }[] }>("GET", "/v1/agents")
  expect(listed.find(({ id }) => id === "claude")?.name).toBe("Claude Code")
  expect(listed.map(({ id }) => id)).toContain("mine")
  const said = daemon.stderr()
  expect(said).toContain("--cors-allow-credentials, --cors-allow-header without --cors-allow-origin")
  expect(said).toMatch(/entry of the agents file is left out.*"agent":"claude"/)
  expect(said).toMatch(/--agent-path names a program of an agent that is part of the daemon.*"agent":"mock"/)
  expect(said).toMatch(/--agent-path names a program of an agent that is not known.*"agent":"nope"/)
})

import { expect, test } from "vitest"
import { cli, temporaryFolder } from "../../cli/spawn.ts"

test("a program that does not speak ACP is said to be none, with what it answers, and is no fault of ours", async () => {
  using folder = temporaryFolder()
  const env = { XDG_DATA_HOME: folder.path, HOME: folder.path }
  // It says back what it is told.
  const added = await cli(["agents", "add", "--id", "echoes", "--", "/bin/cat", "-u"], { env })
  expect(added.code).toBe(0)
  const { code, stderr } = await cli(["run", "echoes", "hello"], { env })
  expect(stderr).toContain('echoes does not speak ACP: it answers `initialize` with "Method not found: initialize"')
  expect(stderr).toContain("Check the command of the agent")
  expect(code).not.toBe(70)
})

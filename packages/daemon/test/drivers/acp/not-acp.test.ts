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

test("one that fails at `initialize` speaks ACP, and says itself what is wrong", async () => {
  using folder = temporaryFolder()
  const env = { XDG_DATA_HOME: folder.path, HOME: folder.path }
  const error = JSON.stringify({ code: -32603, message: "Internal error", data: { details: "broken" } })
  const answer = `sed -u 's/.*"id":\\([^,}]*\\).*/{"jsonrpc":"2.0","id":\\1,"error":${error}}/'`
  expect((await cli(["agents", "add", "--id", "fails", "--", "/bin/sh", "-c", answer], { env })).code).toBe(0)
  const { stderr } = await cli(["run", "fails", "hello"], { env })
  expect(stderr).toContain('fails does not start: it answers `initialize` with "broken"')
  expect(stderr).toContain("These are the agent's own words")
})

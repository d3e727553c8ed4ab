import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { startDaemon } from "../harness/daemon.ts"
import { cli, temporaryFolder } from "./spawn.ts"

test("what is found is printed with its place, and so is that something of the kind was there", async () => {
  await using daemon = await startDaemon()
  using folder = temporaryFolder()
  mkdirSync(join(folder.path, "src"))
  writeFileSync(join(folder.path, "src", "a.ts"), "one\n// TODO two\n")
  const env = { SANDBOX_AGENT_URL: daemon.url, SANDBOX_AGENT_TOKEN: daemon.token }
  const { code, stdout } = await cli(["fs", "search", "TODO", "--path", folder.path], { env })
  expect([code, stdout]).toEqual([0, `${folder.path}/src/a.ts:2: // TODO two\n1 found; files looked at: 1\n`])
  const listed = await cli(["fs", "list", join(folder.path, "src", "a.ts")], { env })
  expect(listed.stderr).toContain("is no folder")
})

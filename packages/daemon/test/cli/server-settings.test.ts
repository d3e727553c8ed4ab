import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { cli, temporaryFolder } from "./spawn.ts"

test.each([
  ["--default-agent", "cluade", 2, "there is no agent cluade; there are claude, "],
  ["--fs-root", "nowhere", 2, "nowhere is not a folder"],
  ["--fs-root", "a-file", 2, "a-file is not a folder"],
  ["--agents-file", "nowhere.json", 2, "nowhere.json is not a file"],
])("a server that is given %s %s does not start, and says why", async (flag, value, code, said) => {
  using folder = temporaryFolder()
  writeFileSync(join(folder.path, "a-file"), "")
  const words = ["server", "--port", "0", "--data-dir", "data", flag, value]
  const ended = await cli(words, { cwd: folder.path })
  expect(ended).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(said) })
  expect(ended.stderr).toContain(flag)
})

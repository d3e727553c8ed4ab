import { expect, test } from "vitest"
import { cli, temporaryFolder } from "./spawn.ts"

test("a --data-dir that begins at home is the same folder to every command; what to do about one is fit for a shell", async () => {
  using home = temporaryFolder()
  const env = { env: { HOME: home.path } }
  const here = "--data-dir=~/a folder"
  const find = () => cli(["sessions", "list", here], env)
  const missing = await find()
  expect([missing.code, missing.stderr]).toEqual([
    9,
    expect.stringContaining(`daemon start --data-dir '${home.path}/a folder'\``),
  ])
  expect((await cli(["daemon", "start", "--port=0", here], env)).code).toBe(0)
  try {
    expect((await find()).code).toBe(0)
    const named = { env: { ...env.env, SANDBOX_AGENT_DATA_DIR: "~/a folder", SANDBOX_AGENT_PORT: "no" } }
    expect((await cli(["sessions", "list"], named)).code).toBe(0)
  } finally {
    await cli(["daemon", "stop", here], env)
  }
})

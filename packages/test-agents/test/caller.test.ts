import { spawnSync } from "node:child_process"
import { resolve } from "node:path"
import { expect, test } from "vitest"

const worker = resolve(import.meta.dirname, "../../../scripts/tests/worker.ts")

/** What is left of an environment when a worker of the tests has begun in it. */
function leftOf(env: Record<string, string>): string[] {
  const code = `await import(${JSON.stringify(worker)}); console.log(JSON.stringify(Object.keys(process.env)))`
  const { stdout, stderr } = spawnSync(process.execPath, ["--no-env-file", "-e", code], { env, encoding: "utf8" })
  expect(stderr).toBe("")
  return JSON.parse(stdout)
}

test("no login, setting or folder of whoever runs the tests reaches them: they find the machine, and what they are told", () => {
  const needed = {
    ...{ PATH: process.env.PATH ?? "", HOME: "/home/me", LANG: "C", TMPDIR: "/tmp", XDG_CACHE_HOME: "/cache" },
    ...{ HTTPS_PROXY: "http://127.0.0.1:9", npm_config_registry: "http://127.0.0.1:9", VITEST_POOL_ID: "1" },
    ...{ TEST_FULL: "1", TEST_EXECUTABLE: "1", KILL_SEED: "7", FUZZ_STEPS: "9", E2B_API_KEY: "of an example" },
  }
  const ofUser = {
    ...{
      ANTHROPIC_API_KEY: "x",
      ANTHROPIC_BASE_URL: "x",
      CLAUDE_CONFIG_DIR: "x",
      CLAUDECODE: "1",
      OPENAI_API_KEY: "x",
    },
    ...{ CODEX_HOME: "x", OPENCODE_CONFIG_CONTENT: "{}", AMP_API_KEY: "x", GEMINI_API_KEY: "x", PI_OFFLINE: "1" },
    ...{ XDG_DATA_HOME: "x", XDG_CONFIG_HOME: "x", GH_TOKEN: "x", AWS_PROFILE: "x", IS_SANDBOX: "1", NO_COLOR: "1" },
    ...{ SANDBOX_AGENT_PORT: "1", SANDBOX_AGENT_TOKEN: "x", SANDBOX_AGENT_DEFAULT_AGENT: "codex" },
  }
  expect(new Set(leftOf({ ...needed, ...ofUser }))).toEqual(new Set(Object.keys(needed)))
})

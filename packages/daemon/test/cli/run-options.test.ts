import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { mcpProbe } from "@sandbox-agent/conformance/mcp-probe"
import { startScriptedModel } from "@sandbox-agent/scripted-model"
import { reply, toolCall } from "@sandbox-agent/scripted-model/script"
import { claudeBinary } from "@sandbox-agent/test-agents/claude"
import { expect, test } from "vitest"
import { openScreen } from "./chat/screen.ts"
import { cli, temporaryFolder } from "./spawn.ts"

const command = 'echo "$FROM_FLAG and $FROM_SHELL"'

test("--env, --system-prompt and --mcp reach a real agent, and the footer has time, tokens and cost", async () => {
  using folder = temporaryFolder()
  await using model = await startScriptedModel({
    script: [reply(toolCall("Bash", { command })), reply(toolCall("mcp__probe__ping", {})), "finished"],
  })
  writeFileSync(join(folder.path, "prompt.md"), "ZEBRA-MARK")
  const options = ["--env", "FROM_FLAG=one", "--env", "FROM_SHELL", "--system-prompt", "@prompt.md"]
  const mcp = JSON.stringify({ probe: mcpProbe(folder.path) })
  await using shown = openScreen(["run", "claude", "go", "--permission-mode", "bypass", ...options, "--mcp", mcp], {
    cwd: folder.path,
    columns: 100,
    env: {
      SANDBOX_AGENT_DATA_DIR: join(folder.path, "data"),
      SANDBOX_AGENT_AGENT_PATH: `claude=${claudeBinary()}`,
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: "dummy",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      FROM_SHELL: "two",
      NO_COLOR: "1",
    },
  })
  expect(await shown.exited).toBe(0)
  expect(shown.text()).toContain("[output] one and two")
  expect(shown.text()).toContain("[output] pong")
  expect(shown.text()).toMatch(/finished\n+— \d+(\.\d)? s · [\d.]+k? tokens · \$\d+\.\d+$/)
  const system = model.requests.map(({ body }) => JSON.stringify(body))
  expect(system.filter((body) => body.includes("ZEBRA-MARK"))).toHaveLength(3)
  expect(model.unexpected).toEqual([])
})

test("the footer adds up what the turn took, and stays out of pipes", async () => {
  using folder = temporaryFolder()
  const env = { SANDBOX_AGENT_DATA_DIR: folder.path, NO_COLOR: "1" }
  await using shown = openScreen(["run", "mock", "/usage"], { env })
  expect(await shown.exited).toBe(0)
  expect(shown.text()).toMatch(/— \d+\.\d s · 2.0k tokens · \$0\.38$/)
  expect(await cli(["run", "mock", "/usage"], { env })).toMatchObject({ code: 0, stderr: "" })
})

test.each([
  [["--env", "NOWHERE_TO_BE_FOUND"], "--env:"],
  [["--system-prompt", "@no-such-file"], "no-such-file"],
  [["--mcp", "{nonsense"], "--mcp"],
  [["--mcp", '{"a b":{"command":"x"}}'], "mcp"],
])("%j is refused before anything is sent", async (words, said) => {
  using folder = temporaryFolder()
  const env = { SANDBOX_AGENT_DATA_DIR: folder.path }
  const ended = await cli(["run", "mock", "hello", ...words], { env })
  expect([ended.code, ended.stdout, ended.stderr]).toEqual([2, "", expect.stringContaining(said)])
})

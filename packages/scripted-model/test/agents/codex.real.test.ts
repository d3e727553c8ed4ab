import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { beforeAll, expect, test } from "vitest"
import { toolResults } from "../../src/request.ts"
import { error, reply, text, thinking, toolCall, usage, words } from "../../src/script.ts"
import { startScriptedModel } from "../../src/scripted-model.ts"
import type { ScriptItem } from "../../src/step.ts"
import { INSTALL_TIMEOUT_MS, installedFile, platform } from "./install.ts"
import { type Home, parsed, run, temporaryHome } from "./run.ts"

const VERSION = "0.166.0"
const ARCH = process.arch === "arm64" ? "aarch64" : "x86_64"
const TRIPLE = process.platform === "darwin" ? `${ARCH}-apple-darwin` : `${ARCH}-unknown-linux-musl`
let binary = ""

beforeAll(async () => {
  const file = `@openai/codex/vendor/${TRIPLE}/bin/codex`
  binary = await installedFile(`codex-${VERSION}`, `@openai/codex@${VERSION}-${platform}`, file)
}, INSTALL_TIMEOUT_MS)

interface Line {
  type: string
  item?: { type: string; text?: string; aggregated_output?: string; exit_code?: number }
  usage?: { input_tokens: number; cached_input_tokens: number }
}

const config = (baseUrl: string) => `
model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false
[model_providers.scripted]
name = "scripted"
base_url = "${baseUrl}/v1"
wire_api = "responses"
env_key = "SCRIPTED_API_KEY"
request_max_retries = 0
stream_max_retries = 0
[analytics]
enabled = false
[features]
plugins = false
remote_plugin = false
`

async function turn(home: Home, steps: ScriptItem[]) {
  await using model = await startScriptedModel()
  model.script("codex", steps)
  await writeFile(join(home.path, "config.toml"), config(model.urlFor("codex")))
  const flags = ["--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
  const { lines } = await run([binary, "exec", ...flags, "do it"], {
    home: home.path,
    env: { CODEX_HOME: home.path, SCRIPTED_API_KEY: "dummy" },
  })
  model.assertDone()
  const events = parsed<Line>(lines)
  return {
    items: events.flatMap(({ type, item }) => (type === "item.completed" && item !== undefined ? [item] : [])),
    end: events.at(-1),
    requests: model.requests,
  }
}

test("Codex: a text turn with reasoning and usage", async () => {
  await using home = await temporaryHome()
  const { items, end } = await turn(home, [
    reply(thinking("**Plan**"), text(words("Hello from the script")), usage({ input: 200, cached: 50 })),
  ])
  expect(items).toMatchObject([
    { type: "reasoning", text: "**Plan**" },
    { type: "agent_message", text: "Hello from the script" },
  ])
  expect(end).toMatchObject({ type: "turn.completed", usage: { input_tokens: 200, cached_input_tokens: 50 } })
})

test("Codex: two commands at once and a patch really run", async () => {
  await using home = await temporaryHome()
  const { items, requests } = await turn(home, [
    reply(toolCall("exec_command", { cmd: "echo $((40 + 2))" }), toolCall("exec_command", { cmd: "echo two" })),
    reply(toolCall("apply_patch", "*** Begin Patch\n*** Add File: made.txt\n+by codex\n*** End Patch")),
    "done",
  ])
  expect(items.map(({ aggregated_output }) => aggregated_output)).toEqual(expect.arrayContaining(["42\n", "two\n"]))
  expect(items.at(-1)).toMatchObject({ type: "agent_message", text: "done" })
  expect(await readFile(join(home.path, "made.txt"), "utf8")).toBe("by codex\n")
  expect(requests[1] && toolResults(requests[1]).map(({ name }) => name)).toEqual(["exec_command", "exec_command"])
})

test("Codex: an error of the model fails the turn", async () => {
  await using home = await temporaryHome()
  const { end } = await turn(home, [error(503)])
  expect(end).toMatchObject({ type: "turn.failed", error: { message: expect.stringContaining("at capacity") } })
})

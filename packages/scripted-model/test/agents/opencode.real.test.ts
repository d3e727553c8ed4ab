import { join } from "node:path"
import { beforeAll, expect, test } from "vitest"
import { toolResults } from "../../src/request.ts"
import { reply, text, thinking, toolCall, words } from "../../src/script.ts"
import { startScriptedModel } from "../../src/scripted-model.ts"
import { INSTALL_TIMEOUT_MS, installedFile, platform } from "./install.ts"
import { parsed, run, temporaryHome } from "./run.ts"

const VERSION = "1.18.18"
let binary = ""

beforeAll(async () => {
  const name = `opencode-${platform}`
  binary = await installedFile(`opencode-${VERSION}`, `${name}@${VERSION}`, `${name}/bin/opencode`)
}, INSTALL_TIMEOUT_MS)

interface Line {
  type: string
  part?: { text?: string; state?: { output?: string } }
}

// One script for all: OpenCode speaks each dialect through another provider package.
test.each([
  ["@ai-sdk/openai-compatible", "openai-chat"],
  ["@ai-sdk/anthropic", "anthropic-messages"],
  ["@ai-sdk/openai", "openai-responses"],
])("OpenCode with %s: a tool turn in %s, found by its API key", async (npm, dialect) => {
  await using home = await temporaryHome()
  await using model = await startScriptedModel()
  model.script("mine", [
    reply(thinking("Hm"), "I run it", toolCall("bash", { command: "echo $((40 + 2))", description: "Count" })),
    reply(text(words("All done now"))),
  ])
  const options = { baseURL: `${model.url}/v1`, apiKey: model.keyFor("mine") }
  const models = { one: { name: "One", tool_call: true, reasoning: true, limit: { context: 128000, output: 8192 } } }
  const config = {
    model: "scripted/one",
    small_model: "scripted/one",
    enabled_providers: ["scripted"],
    provider: { scripted: { npm, name: "Scripted", options, models } },
  }
  const { lines } = await run([binary, "run", "--format", "json", "do it"], {
    home: home.path,
    env: {
      XDG_DATA_HOME: join(home.path, "data"),
      XDG_CONFIG_HOME: join(home.path, "config"),
      XDG_STATE_HOME: join(home.path, "state"),
      XDG_CACHE_HOME: join(home.path, "cache"),
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      npm_config_registry: "http://127.0.0.1:9/",
      OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
    },
  })
  model.assertDone()
  const events = parsed<Line>(lines)
  const of = (type: string) => events.filter((event) => event.type === type)
  expect(of("text").map(({ part }) => part?.text)).toEqual(["I run it", "All done now"])
  expect(of("tool_use")[0]?.part?.state?.output).toBe("42\n")
  expect(model.requests.map((request) => request.dialect)).toEqual([dialect, dialect])
  expect(model.requests[1] && toolResults(model.requests[1])).toMatchObject([{ name: "bash", text: "42\n" }])
  expect(model.sideRequests.map(({ kind }) => kind)).toEqual(["title"])
})

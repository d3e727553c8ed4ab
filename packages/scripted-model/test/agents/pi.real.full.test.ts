import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { beforeAll, expect, test } from "vitest"
import { reply, text, thinking, toolCall, words } from "../../src/script.ts"
import { startScriptedModel } from "../../src/scripted-model.ts"
import { INSTALL_TIMEOUT_MS, installedFile } from "./install.ts"
import { parsed, run, temporaryHome } from "./run.ts"

// The last version that runs on Node 20.
const VERSION = "0.73.1"
const PACKAGE = "@mariozechner/pi-coding-agent"
let program = ""

beforeAll(async () => {
  program = await installedFile(`pi-${VERSION}`, `${PACKAGE}@${VERSION}`, `${PACKAGE}/dist/cli.js`)
}, INSTALL_TIMEOUT_MS)

interface Line {
  type: string
  message?: { role: string; content: { type: string; text?: string; thinking?: string }[] }
}

test("Pi: thinking, two tools at once and their results in Chat Completions", async () => {
  await using home = await temporaryHome()
  await using model = await startScriptedModel({
    script: [
      reply(
        thinking("Hm"),
        "I run",
        toolCall("bash", { command: "echo 42" }),
        toolCall("bash", { command: "echo two" }),
      ),
      reply(text(words("All done now"))),
    ],
  })
  const models = [{ id: "one", reasoning: true, input: ["text"], contextWindow: 128000, maxTokens: 8192 }]
  const providers = {
    scripted: { baseUrl: `${model.url}/v1`, api: "openai-completions", apiKey: "dummy", models },
  }
  await writeFile(join(home.path, "models.json"), JSON.stringify({ providers }))
  const flags = ["--mode", "json", "--provider", "scripted", "--model", "one", "--thinking", "high", "--no-session"]
  const { lines } = await run(["node", program, ...flags, "do it"], {
    home: home.path,
    env: { PI_CODING_AGENT_DIR: home.path, PI_OFFLINE: "1" },
  })
  model.assertDone()
  const ended = parsed<Line>(lines).filter(({ type }) => type === "message_end")
  const content = (role: string) => ended.flatMap(({ message }) => (message?.role === role ? message.content : []))
  expect(content("assistant").map((block) => block.text ?? block.thinking ?? block.type)).toEqual([
    "Hm",
    "I run",
    "toolCall",
    "toolCall",
    "All done now",
  ])
  expect(content("toolResult").map((block) => block.text)).toEqual(["42\n", "two\n"])
  expect(model.requests.map((request) => request.dialect)).toEqual(["openai-chat", "openai-chat"])
})

import { randomUUID } from "node:crypto"
import { beforeAll, expect, test } from "vitest"
import { lastUserText, toolResults } from "../../src/request.ts"
import { cut, reply, text, thinking, toolCall, usage, words } from "../../src/script.ts"
import { startScriptedModel } from "../../src/scripted-model.ts"
import type { ScriptItem } from "../../src/step.ts"
import { INSTALL_TIMEOUT_MS, installedFile, platform } from "./install.ts"
import { parsed, run, temporaryHome } from "./run.ts"

const VERSION = "2.1.325"
const PACKAGE = `@anthropic-ai/claude-code-${platform}`
let binary = ""

beforeAll(async () => {
  binary = await installedFile(`claude-${VERSION}`, `${PACKAGE}@${VERSION}`, `${PACKAGE}/claude`)
}, INSTALL_TIMEOUT_MS)

interface Line {
  type: string
  result?: string
  is_error?: boolean
  usage?: { input_tokens: number; cache_read_input_tokens: number; output_tokens: number }
  message?: { content: { type: string }[] }
}

async function turn(steps: ScriptItem[]) {
  await using home = await temporaryHome()
  await using model = await startScriptedModel()
  const session = randomUUID()
  model.script(session, steps)
  const flags = ["--print", "--verbose", "--input-format", "stream-json", "--output-format", "stream-json"]
  const { lines } = await run([binary, ...flags, "--session-id", session], {
    home: home.path,
    env: {
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: "dummy",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_MAX_RETRIES: "1",
      DISABLE_AUTOUPDATER: "1",
    },
    input: `${JSON.stringify({ type: "user", message: { role: "user", content: "do it" } })}\n`,
  })
  model.assertDone()
  const messages = parsed<Line>(lines)
  const blocks = messages.filter(({ type }) => type === "assistant").flatMap(({ message }) => message?.content ?? [])
  return {
    result: messages.find(({ type }) => type === "result"),
    blocks: blocks.map(({ type }) => type),
    requests: model.requests,
  }
}

test("Claude Code: a text turn, found by its session id", async () => {
  const { result, requests } = await turn([
    reply(text(words("Hello from the script")), usage({ input: 50, cached: 30, output: 4 })),
  ])
  expect(result).toMatchObject({ result: "Hello from the script", is_error: false })
  expect(result?.usage).toMatchObject({ input_tokens: 20, cache_read_input_tokens: 30, output_tokens: 4 })
  expect(requests.map(lastUserText)).toEqual(["do it"])
  expect(requests[0]?.tools).toContain("Bash")
})

test("Claude Code: thinking, a tool that really runs, and its result", async () => {
  const { result, blocks, requests } = await turn([
    reply(
      thinking("Let me count"),
      "I run it",
      toolCall("Bash", { command: "echo $((40 + 2))", description: "Count" }),
    ),
    (request) => `It says ${toolResults(request)[0]?.text}`,
  ])
  expect(result).toMatchObject({ result: "It says 42", is_error: false })
  expect(blocks).toEqual(["thinking", "text", "tool_use", "text"])
  expect(requests.at(-1)?.messages.at(-1)?.toolResults[0]).toMatchObject({ name: "Bash", isError: false })
})

test("Claude Code: goes on after a cut", async () => {
  const { result, requests } = await turn([reply(text("half a sen", { open: true }), cut()), "All of it"])
  expect(result).toMatchObject({ result: "All of it", is_error: false })
  expect(requests).toHaveLength(2)
})

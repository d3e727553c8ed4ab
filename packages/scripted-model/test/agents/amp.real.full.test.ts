import { beforeAll, expect, test } from "vitest"
import { lastUserText, toolResults } from "../../src/request.ts"
import { reply, text, thinking, toolCall, usage, words } from "../../src/script.ts"
import { startScriptedModel } from "../../src/scripted-model.ts"
import { INSTALL_TIMEOUT_MS, installedFile } from "./install.ts"
import { parsed, run, temporaryHome } from "./run.ts"

// The last one in pure JavaScript.
const VERSION = "0.0.1777897475-g2324e1"
const PACKAGE = "@sourcegraph/amp"
let program = ""

beforeAll(async () => {
  program = await installedFile(`amp-${VERSION}`, `${PACKAGE}@${VERSION}`, `${PACKAGE}/dist/main.js`)
}, INSTALL_TIMEOUT_MS)

interface Line {
  type: string
  session_id: string
  result?: string
  message?: { content: { type: string }[]; usage?: { input_tokens: number } }
}

test("Amp: thinking, a tool that really runs, and the same thread in a second process", async () => {
  await using home = await temporaryHome()
  await using model = await startScriptedModel({
    script: [
      reply(thinking("Hm"), "I run", toolCall("Bash", { cmd: "echo $((40 + 2))" })),
      (request) => reply(text(words(`It says ${toolResults(request)[0]?.text}`)), usage({ input: 50, output: 4 })),
      ({ messages }) => `after ${messages.length} messages`,
    ],
  })
  const env = { AMP_URL: model.url, AMP_API_KEY: "dummy", AMP_SKIP_UPDATE_CHECK: "1" }
  const amp = async (words: string[], said: string) => {
    const flags = [...words, "-x", said, "--stream-json-thinking", "--dangerously-allow-all"]
    return parsed<Line>((await run(["node", program, ...flags], { home: home.path, env })).lines)
  }
  const first = await amp([], "do it")
  const blocks = first.flatMap(({ type, message }) => (type === "assistant" ? (message?.content ?? []) : []))
  expect(blocks.map(({ type }) => type)).toEqual(["thinking", "text", "tool_use", "text"])
  expect(first.at(-1)?.result).toBe("It says <output>42\n</output>\n<exitCode>0</exitCode>")
  expect(model.requests.map(lastUserText)).toEqual(["do it", "do it"])
  const thread = first[0]?.session_id ?? ""
  expect(model.threadServer.threads).toEqual([thread])
  const second = await amp(["threads", "continue", thread], "and now")
  expect(second.at(-1)?.result).toBe("after 5 messages")
  model.assertDone()
})

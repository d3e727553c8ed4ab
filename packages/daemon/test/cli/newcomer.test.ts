import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { startScriptedModel } from "@sandbox-agent/scripted-model"
import { reply, text, toolCall } from "@sandbox-agent/scripted-model/script"
import { claudeBinary } from "@sandbox-agent/test-agents/claude"
import { expect, test } from "vitest"
import { root, startDaemon } from "../harness/daemon.ts"
import { openScreen, type ScreenOptions, type ShownCli } from "./chat/screen.ts"
import { temporaryFolder } from "./spawn.ts"

/** Where the screens are kept, to be looked at. */
const kept = join(root, "test-results/newcomer")
rmSync(kept, { recursive: true, force: true })
mkdirSync(kept, { recursive: true })

const keep = (name: string, shown: ShownCli, tidy: (text: string) => string = (text) => text): void =>
  writeFileSync(join(kept, `${name}.txt`), `${tidy(shown.text())}\n`)

/** Runs one command to its end and keeps what it showed. */
async function shows(name: string, args: string[], options: ScreenOptions): Promise<{ code: number; text: string }> {
  await using shown = openScreen(args, options)
  const code = await shown.exited
  keep(name, shown)
  return { code, text: shown.text() }
}

const answer = `I looked at **three** files. The parser drops \`\\r\`:

1. \`read.ts\` splits on \`\\n\` only
2. the test has no file with CRLF

\`\`\`ts
const lines = text.split(/\\r?\\n/)
\`\`\`

> Windows users see an empty last column.`

test("a newcomer: help, doctor, a missing login, then a conversation with a real agent", async () => {
  using folder = temporaryFolder()
  const home = join(folder.path, "home")
  const project = join(home, "project")
  mkdirSync(project, { recursive: true })
  writeFileSync(join(project, "read.ts"), 'export const lines = (text: string) => text.split("\\n")\n')
  const claude = claudeBinary()
  mkdirSync(join(folder.path, "bin"))
  const env: Record<string, string> = {
    HOME: home,
    PATH: `${folder.path}/bin:/usr/bin:/bin`,
    SANDBOX_AGENT_DATA_DIR: join(home, "data"),
    SANDBOX_AGENT_AGENT_PATH: `claude=${claude}`,
    SANDBOX_AGENT_PORT: "0",
    npm_config_registry: "http://127.0.0.1:9",
  }
  const options = { cwd: project, env, columns: 100 }
  expect((await shows("01-help", [], { ...options, rows: 60 })).text).toContain("Every day:")
  expect((await shows("02-doctor", ["doctor"], options)).text).toContain("claude login")
  const missing = await shows("03-run-without-login", ["run", "claude", "what is here?"], options)
  expect([missing.code, missing.text]).toEqual([9, expect.stringContaining("claude has no login")])

  await using model = await startScriptedModel({
    script: [
      answer,
      reply(
        text("I will change the one line."),
        toolCall("Edit", {
          file_path: join(project, "read.ts"),
          old_string: 'split("\\n")',
          new_string: "split(/\\r?\\n/)",
        }),
      ),
      "Done. Lines end with either now.",
      reply(
        text("Let me run the tests."),
        toolCall("Bash", { command: "echo 3 passed; exit 1", description: "Run tests" }),
      ),
      "The tests fail, as you see.",
    ],
  })
  const scripted = {
    ...env,
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: "dummy",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_MAX_RETRIES: "1",
  }
  const started = await shows("04-daemon-start", ["daemon", "start"], { ...options, env: scripted })
  expect(started.code).toBe(0)
  try {
    await using shown = openScreen(["chat", "claude"], { ...options, rows: 40, env: scripted })
    await shown.until("/help")
    shown.type("why is the last column empty?\r")
    await shown.until(/— .*tokens/)
    keep("05-chat-answer", shown)
    shown.type("fix it in @read.ts\r")
    await shown.until("[y]es once")
    keep("06-chat-permission", shown)
    shown.type("y")
    await shown.until("either now")
    await shown.until(/allowed once[\s\S]*— .*tokens/)
    keep("07-chat-edit", shown)
    shown.type("run the tests\r")
    await shown.until("$ echo 3 passed; exit 1")
    shown.type("a")
    await shown.until("as you see.")
    await shown.until(/as you see\.[\s\S]*— /)
    keep("08-chat-failed-tool", shown)
    shown.type("/help\r")
    await shown.until("any other /… goes to the agent")
    keep("09-chat-help", shown)
    shown.type("\x04")
    expect(await shown.exited).toBe(0)
    keep("10-chat-left", shown)
    const listed = await shows("11-sessions-list", ["sessions", "list"], options)
    const id = /chat-\w+/.exec(listed.text)?.[0] ?? ""
    await using back = openScreen(["attach", id], { ...options, rows: 40 })
    await back.until("either now")
    keep("12-attach", back)
    back.type("\x04")
    await back.exited
    await shows("13-agents-list", ["agents", "list"], options)
    await shows("14-create", ["sessions", "create", "demo", "--agent", "mock"], options)
    await shows("15-session-get", ["sessions", "get", "demo"], options)
    await shows("16-mistake", ["sessions", "get", "demoo"], options)
    await shows("17-daemon-logs", ["daemon", "logs"], { ...options, columns: 140 })
  } finally {
    await shows("18-daemon-stop", ["daemon", "stop"], options)
  }
})

test("the scripted agent: questions, a plan, a queue, Esc", async () => {
  using folder = temporaryFolder()
  await using daemon = await startDaemon()
  const env = { SANDBOX_AGENT_URL: daemon.url, SANDBOX_AGENT_TOKEN: daemon.token, SANDBOX_AGENT_DATA_DIR: folder.path }
  await using shown = openScreen(["chat", "mock", "/todo\n/questions"], { cwd: folder.path, env, rows: 34 })
  await shown.until("number or label")
  keep("20-question", shown)
  shown.type("2\r")
  await shown.until("separated by commas")
  shown.type("1,2\r")
  await shown.until("Anything else")
  shown.type("no\r")
  await shown.until(/— \d/)
  shown.type("/sleep 100000\r")
  await shown.until("Esc stops")
  shown.type("and then this\r")
  await shown.until("waits: and then this")
  keep("21-queue", shown)
  shown.type("\x1b")
  await shown.until("stopped")
  await shown.until(/› and then this[\s\S]*and then this[\s\S]*— /)
  keep("22-stopped", shown)
})

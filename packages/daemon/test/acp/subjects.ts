import { mkdirSync, writeFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { startScriptedModel } from "@sandbox-agent/scripted-model"
import type { ModelRequest } from "@sandbox-agent/scripted-model/request"
import { claudeBinary, newest } from "@sandbox-agent/test-agents/claude"
import { codexBinary } from "@sandbox-agent/test-agents/codex"
import { claudeDialect, codexDialect } from "../chaos/dialects.ts"
import { type AgentDialect, type PromptKind, promptScript, promptText } from "../chaos/prompts.ts"
import { configFor } from "../drivers/codex/live.ts"
import { scratch, startDaemon, type TestDaemon } from "../harness/daemon.ts"

/** What to say to an agent so that it does something, and what it then does. */
export interface Words {
  say: string
  said: string
  /** Asks before it makes the file `made-by-the-agent`. */
  permission: string
  /** Asks for a colour: red is the first choice. */
  question: string
  /** Never ends; begins with `begins`. */
  long: string
  begins: string
}

/** An agent behind a daemon of its own. */
export interface Subject extends AsyncDisposable {
  agent: string
  daemon: TestDaemon
  words: Words
  /** A new folder to work in. */
  folder(): string
  /** The conversation that came to the model last, where there is one. */
  conversation?(): string
}

const mockWords: Words = {
  say: "one two three",
  said: "one two three",
  permission: "/permission touch made-by-the-agent",
  question: "/question",
  long: "/flood 100000 100",
  begins: "0:",
}

/** Prompts of one kind are the same in every session: only the last of a conversation counts. */
function promptWords(): Words {
  const prompt = (prompt: PromptKind, count = 0) => promptText(prompt, "flow", count)
  return {
    say: prompt("say"),
    said: "fine",
    permission: prompt("ask"),
    question: prompt("question"),
    long: prompt("text", 3),
    begins: "word1. word2. word3. ",
  }
}

/** The real program; only its model is scripted. */
async function scripted(
  agent: string,
  program: string,
  dialect: AgentDialect,
  prepare: (home: string, url: string) => Record<string, string>,
): Promise<Subject> {
  const model = await startScriptedModel({ script: [promptScript(dialect)] })
  const home = scratch()
  const path = [dirname(program), process.env.PATH].join(delimiter)
  const daemon = await startDaemon({ env: { HOME: home, PATH: path, ...prepare(home, model.url) } })
  const last = () => model.requests.findLast((request) => dialect.said(request).includes("[[say "))
  return {
    ...subject(agent, daemon, promptWords(), () => model.close()),
    conversation: () => dialect.said(last() as ModelRequest),
  }
}

function subject(agent: string, daemon: TestDaemon, words: Words, end: () => Promise<void> = async () => {}): Subject {
  let folders = 0
  return {
    agent,
    daemon,
    words,
    folder() {
      const folder = join(daemon.dataDir, `work-${++folders}`)
      mkdirSync(folder)
      return folder
    },
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]()
      await end()
    },
  }
}

/** The agents that the flows are run on. */
export const subjects: { agent: string; start(): Promise<Subject> }[] = [
  { agent: "mock", start: async () => subject("mock", await startDaemon(), mockWords) },
  {
    agent: "claude",
    start: () =>
      scripted("claude", claudeBinary(newest), claudeDialect, (_, url) => ({
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: "dummy",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        DISABLE_TELEMETRY: "1",
        DISABLE_ERROR_REPORTING: "1",
        CLAUDE_CODE_MAX_RETRIES: "1",
      })),
  },
  {
    agent: "codex",
    start: () =>
      scripted("codex", codexBinary(), codexDialect, (home, url) => {
        const codexHome = join(home, ".codex")
        mkdirSync(codexHome)
        writeFileSync(join(codexHome, "config.toml"), configFor(url))
        return { CODEX_HOME: codexHome }
      }),
  },
]

import type { Subject } from "../subject.ts"
import { scriptedClaudeAcp } from "./acp-claude.ts"
import { scriptedCodexAcp } from "./acp-codex.ts"
import { scriptedGemini } from "./acp-gemini.ts"
import { scriptedQwen } from "./acp-qwen.ts"
import { ampSkips, scriptedAmp } from "./amp.ts"
import { claudeSkips, scriptedClaude } from "./claude.ts"
import { codexSkips, scriptedCodex } from "./codex.ts"
import { mock } from "./mock.ts"
import { opencodeSkips, scriptedOpencode } from "./opencode.ts"
import { piSkips, scriptedPi } from "./pi.ts"

/** An agent whose model says what a scenario wants. */
export interface Scripted {
  subject: Subject
  /** For the daemon. */
  env: Record<string, string>
  close(): Promise<void>
}

interface SuiteAgent {
  /** Runs it without an account; `home` is a folder for the agent's own files. */
  scripted(home: string): Promise<Scripted>
  /** Run live on a real model as well, by an entry of its own: what it skips then. Agents that speak ACP need none. */
  live?: Subject["skip"]
}

/** Every agent that the suite knows, by id. */
export const suiteAgents: Readonly<Record<string, SuiteAgent>> = {
  amp: { scripted: scriptedAmp, live: ampSkips },
  claude: { scripted: scriptedClaude, live: claudeSkips },
  "claude-agent-acp": { scripted: scriptedClaudeAcp },
  codex: { scripted: (home) => scriptedCodex(home), live: codexSkips },
  "codex-acp": { scripted: scriptedCodexAcp },
  gemini: { scripted: scriptedGemini },
  mock: { scripted: async () => ({ subject: mock, env: {}, close: async () => {} }) },
  opencode: { scripted: scriptedOpencode, live: opencodeSkips },
  pi: { scripted: scriptedPi, live: piSkips },
  "qwen-code": { scripted: scriptedQwen },
}

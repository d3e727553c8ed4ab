import type { Subject } from "../subject.ts"
import { scriptedClaudeAcp } from "./acp-claude.ts"
import { scriptedCodexAcp } from "./acp-codex.ts"
import { scriptedGemini } from "./acp-gemini.ts"
import { scriptedQwen } from "./acp-qwen.ts"
import { scriptedClaude } from "./claude.ts"
import { scriptedCodex } from "./codex.ts"
import { mock } from "./mock.ts"
import { scriptedOpencode } from "./opencode.ts"

/** An agent whose model says what a scenario wants. */
export interface Scripted {
  subject: Subject
  /** For the daemon. */
  env: Record<string, string>
  close(): Promise<void>
}

/** Agents that can be run without an account, by id; `home` is a folder for the agent's own files. */
export const scriptedAgents: Readonly<Record<string, (home: string) => Promise<Scripted>>> = {
  claude: scriptedClaude,
  "claude-agent-acp": scriptedClaudeAcp,
  codex: (home) => scriptedCodex(home),
  "codex-acp": scriptedCodexAcp,
  gemini: scriptedGemini,
  mock: async () => ({ subject: mock, env: {}, close: async () => {} }),
  opencode: scriptedOpencode,
  "qwen-code": scriptedQwen,
}

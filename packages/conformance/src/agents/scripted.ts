import type { Subject } from "../subject.ts"
import { scriptedClaude } from "./claude.ts"
import { mock } from "./mock.ts"

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
  mock: async () => ({ subject: mock, env: {}, close: async () => {} }),
}

import type { Difference } from "../../src/face/differences.ts"
import type { OverRest } from "../../src/face/over-rest.ts"

export type Met = readonly (Difference | OverRest)[]

const all: Met = ["stops", "link", "queue", "steer", "lists", "log"]
const acp: Met = ["wording", "stops", "link", "queue", "lists", "log"]

/** What a whole run of each agent meets of the documented differences. */
export const met = {
  choices: ["asked", "stops", "log"],
  mock: [...all, "fork"],
  amp: [...all.filter((one) => one !== "steer"), "fork", "env", "opened"],
  claude: [...all, "fork", "retried", "env"],
  codex: [...all, "fork", "retried", "env", "opened"],
  opencode: [...all, "fork", "retried", "opened"],
  pi: [...all, "fork", "retried", "opened"],
  "claude-agent-acp": [...acp, "fork", "env", "steer", "always"],
  "codex-acp": [...acp, "fork", "retried", "env", "steer"],
  gemini: [...acp, "fork", "env"],
  "qwen-code": [...acp, "fork", "vendor", "env"],
} as const satisfies Record<string, Met>

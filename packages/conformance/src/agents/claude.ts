import { mkdirSync } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { startScriptedModel } from "@sandbox-agent/scripted-model"
import type { Subject } from "../subject.ts"
import { claudeActs } from "./claude-acts.ts"
import type { Scripted } from "./scripted.ts"

export const claudeSkips: Subject["skip"] = [
  {
    reason: "each session has a process of its own",
    tests: ["two sessions share one process, and the end of one leaves the other"],
  },
]

/** The real Claude Code; only its model is replaced. `home` is made and becomes its own. */
export async function scriptedClaude(home: string, isAdapted = false): Promise<Scripted> {
  mkdirSync(home, { recursive: true })
  const model = await startScriptedModel()
  return {
    subject: {
      agent: "claude",
      acts: claudeActs(model, isAdapted),
      skip: claudeSkips,
      forget: () => rm(join(home, ".claude", "projects"), { recursive: true, force: true }),
      // Port 1: nobody listens there.
      deadModel: { env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:1" } },
    },
    env: {
      HOME: home,
      CLAUDE_CONFIG_DIR: join(home, ".claude"),
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: "dummy",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_MAX_RETRIES: "2",
    },
    close: () => model.close(),
  }
}

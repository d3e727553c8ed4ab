import { mkdirSync, writeFileSync } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { startScriptedModel } from "@sandbox-agent/scripted-model"
import type { Skip } from "../subject.ts"
import { actsWith, type Tools } from "./acp-acts.ts"
import type { Scripted } from "./scripted.ts"
import {
  acpLacks,
  noFork,
  noModes,
  noNotes,
  noPlanApproval,
  noPlans,
  noQuestions,
  noResume,
  noSteer,
  noSubagents,
  noVariants,
  processPerSession,
} from "./skips.ts"

const tools: Tools = { run: "run_shell_command", write: "write_file", wholeThoughts: true, ping: "mcp_probe_ping" }

const cannot: Skip[] = [noPlanApproval, noModes, noSteer, noFork, noVariants, noSubagents, noPlans, noNotes, noResume]

/** The real Gemini CLI; only its model is replaced. `home` is made and becomes its own. */
export async function scriptedGemini(home: string): Promise<Scripted> {
  mkdirSync(join(home, ".gemini"), { recursive: true })
  // With a terminal of its own it does not tell what a command printed.
  const settings = { tools: { shell: { enableInteractiveShell: false } } }
  writeFileSync(join(home, ".gemini", "settings.json"), JSON.stringify(settings))
  const model = await startScriptedModel()
  return {
    subject: {
      agent: "gemini",
      speaks: "acp",
      acts: actsWith(model, tools),
      skip: [processPerSession, ...cannot, ...noQuestions],
      lacks: {
        ...acpLacks,
        exitCodes: "Gemini CLI does not tell its client how a command ended",
      },
      forget: () => rm(join(home, ".gemini", "tmp"), { recursive: true, force: true }),
      // Port 1: nobody listens there.
      deadModel: { env: { GOOGLE_GEMINI_BASE_URL: "http://127.0.0.1:1" } },
    },
    env: {
      HOME: home,
      GOOGLE_GEMINI_BASE_URL: model.url,
      GEMINI_API_KEY: "dummy",
      // Without one it asks another model which to take.
      GEMINI_MODEL: "gemini-2.5-pro",
    },
    close: () => model.close(),
  }
}

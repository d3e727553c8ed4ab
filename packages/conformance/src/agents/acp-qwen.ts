import { mkdirSync, writeFileSync } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { startScriptedModel } from "@sandbox-agent/scripted-model"
import { toolCall } from "@sandbox-agent/scripted-model/script"
import type { Skip } from "../subject.ts"
import { actsWith, type Tools } from "./acp-acts.ts"
import type { Scripted } from "./scripted.ts"
import { acpLacks, noFork, noModes, noPlanApproval, noSteer, noSubagents, noVariants } from "./skips.ts"

const tools: Tools = {
  run: "run_shell_command",
  write: "write_file",
  directory: /working in the directory: ([^\\"]+)/,
  todos: (states) =>
    toolCall("todo_write", { todos: states.map((status, i) => ({ id: String(i), content: `Step ${i}`, status })) }),
  ask: "ask_user_question",
  suggests: true,
  ping: "mcp__probe__ping",
}

const skip: Skip[] = [noPlanApproval, noModes, noSteer, noFork, noVariants, noSubagents]

/** Two models, the first of which sees pictures; its todo list is off unless the user wants it. */
const settingsFor = (baseUrl: string) => ({
  security: { auth: { selectedType: "openai" } },
  modelProviders: {
    openai: ["qwen3-vl-plus", "scripted-2"].map((id) => ({
      ...{ id, name: id, envKey: "OPENAI_API_KEY", baseUrl },
      generationConfig: { maxRetries: 1 },
    })),
  },
  tools: { todoWrite: { enabled: true } },
})

/** The real Qwen Code; only its model is replaced. `home` is made and becomes its own. */
export async function scriptedQwen(home: string): Promise<Scripted> {
  const model = await startScriptedModel()
  const [live, dead] = [join(home, "live"), join(home, "dead")]
  // Port 1: nobody listens there.
  for (const [folder, url] of [[live, model.url] as const, [dead, "http://127.0.0.1:1"] as const]) {
    mkdirSync(join(folder, ".qwen"), { recursive: true })
    writeFileSync(join(folder, ".qwen", "settings.json"), JSON.stringify(settingsFor(`${url}/v1`)))
  }
  return {
    subject: {
      agent: "qwen-code",
      speaks: "acp",
      acts: actsWith(model, tools),
      skip,
      lacks: acpLacks,
      forget: async () => {
        for (const kept of ["projects", "tmp"]) await rm(join(live, ".qwen", kept), { recursive: true, force: true })
      },
      deadModel: { env: { HOME: dead, OPENAI_BASE_URL: "http://127.0.0.1:1/v1" } },
    },
    env: { HOME: live, OPENAI_BASE_URL: `${model.url}/v1`, OPENAI_API_KEY: "dummy", OPENAI_MODEL: "qwen3-vl-plus" },
    close: () => model.close(),
  }
}

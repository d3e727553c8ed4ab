import { mkdirSync, writeFileSync } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { startScriptedModel } from "@sandbox-agent/scripted-model"
import type { Subject } from "../subject.ts"
import { codexActs } from "./codex-acts.ts"
import type { Scripted } from "./scripted.ts"

export const codexSkips: Subject["skip"] = [
  {
    reason: "a plan of Codex is an answer like any other; it asks for no approval",
    tests: ["an approved plan leaves permission mode plan, a rejected one takes the message back"],
  },
]

/** Newer models call everything through one JavaScript tool, and only those have sub-agents unasked. */
const configFor = (baseUrl: string): string => `
model = "gpt-5.5"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "${baseUrl}"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 2
[analytics]
enabled = false
[features]
multi_agent_v2 = true
plugins = false
remote_plugin = false
`

function codexHome(folder: string, baseUrl: string): string {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "config.toml"), configFor(baseUrl))
  return folder
}

/** The real Codex; only its model is replaced. `home` is made and becomes its own. */
export async function scriptedCodex(home: string, ask?: Parameters<typeof codexActs>[1]): Promise<Scripted> {
  const model = await startScriptedModel()
  return {
    subject: {
      agent: "codex",
      acts: codexActs(model, ask),
      skip: codexSkips,
      // What it knows of them beside stays, as when a person removes the files.
      forget: () => rm(join(home, ".codex", "sessions"), { recursive: true, force: true }),
      // Port 1: nobody listens there.
      deadModel: { env: { CODEX_HOME: codexHome(join(home, "dead"), "http://127.0.0.1:1/v1") } },
    },
    env: { HOME: home, CODEX_HOME: codexHome(join(home, ".codex"), `${model.url}/v1`) },
    close: () => model.close(),
  }
}

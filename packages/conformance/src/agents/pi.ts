import { mkdirSync, writeFileSync } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { startScriptedModel } from "@sandbox-agent/scripted-model"
import type { Subject } from "../subject.ts"
import { piActs } from "./pi-acts.ts"
import type { Scripted } from "./scripted.ts"
import { noPlans, noSubagents, processPerSession } from "./skips.ts"

export const piSkips: Subject["skip"] = [
  processPerSession,
  {
    reason: "Pi has one mode",
    tests: [
      "modes are listed and switched, an unknown one is refused",
      "agent mode plan does not keep the agent from writing",
    ],
  },
  { reason: "Pi has no tool for plans", tests: noPlans.tests },
  { reason: "Pi has no sub-agents", tests: noSubagents.tests },
  {
    reason: "Pi asks for no approval of a plan",
    tests: ["an approved plan leaves permission mode plan, a rejected one takes the message back"],
  },
]

const model = (id: string, reasoning = true) => ({
  id,
  name: id,
  reasoning,
  input: ["text", "image"],
  contextWindow: 128_000,
  maxTokens: 8_192,
  cost: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 0 },
})

const provider = (baseUrl: string, ...models: object[]) => ({
  baseUrl,
  api: "openai-completions",
  apiKey: "dummy",
  models,
})

/** What Pi reads of its user's: models that are ours, and which of them is the usual one. The variables that lead it there. */
export function piSettings(home: string, url: string): Record<string, string> {
  const folder = join(home, "agent")
  mkdirSync(folder, { recursive: true })
  const providers = {
    // Port 1: nobody listens there.
    dead: provider("http://127.0.0.1:1/v1", model("one", false)),
    scripted: provider(`${url}/v1`, model("one"), model("two")),
  }
  writeFileSync(join(folder, "models.json"), JSON.stringify({ providers }))
  writeFileSync(join(folder, "settings.json"), JSON.stringify({ defaultProvider: "scripted", defaultModel: "one" }))
  return { HOME: home, PI_CODING_AGENT_DIR: folder, PI_OFFLINE: "1" }
}

/** The real Pi; only its model is replaced. `home` is made and becomes its own. */
export async function scriptedPi(home: string): Promise<Scripted> {
  const scripted = await startScriptedModel()
  const env = piSettings(home, scripted.url)
  return {
    subject: {
      agent: "pi",
      acts: piActs(scripted),
      skip: piSkips,
      forget: () => rm(join(home, "agent", "sessions"), { recursive: true, force: true }),
      deadModel: { model: "dead/one" },
    },
    env,
    close: () => scripted.close(),
  }
}

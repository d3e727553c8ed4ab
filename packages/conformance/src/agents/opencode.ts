import { mkdirSync, writeFileSync } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { startScriptedModel } from "@sandbox-agent/scripted-model"
import type { Subject } from "../subject.ts"
import { opencodeActs } from "./opencode-acts.ts"
import type { Scripted } from "./scripted.ts"

export const opencodeSkips: Subject["skip"] = [
  {
    reason: "a plan of OpenCode is an answer like any other; it asks for no approval",
    tests: ["an approved plan leaves permission mode plan, a rejected one takes the message back"],
  },
]

const model = (name: string, reasoning = true) => ({
  name,
  reasoning,
  tool_call: true,
  attachment: true,
  modalities: { input: ["text", "image"], output: ["text"] },
  ...(reasoning && { interleaved: { field: "reasoning_content" } }),
  limit: { context: 128_000, output: 8_192 },
  cost: { input: 1, output: 2 },
})

const provider = (name: string, baseURL: string, models: object) => ({
  npm: "@ai-sdk/openai-compatible",
  name,
  options: { baseURL, apiKey: "dummy" },
  models,
})

const configFor = (url: string): string =>
  JSON.stringify({
    model: "scripted/one",
    small_model: "scripted/one",
    enabled_providers: ["dead", "scripted"],
    provider: {
      // Port 1: nobody listens there.
      dead: provider("Dead", "http://127.0.0.1:1/v1", { one: model("Dead", false) }),
      scripted: provider("Scripted", `${url}/v1`, { one: model("One"), two: model("Two") }),
    },
  })

/** The real OpenCode; only its model is replaced. `home` is made and becomes its own. */
export async function scriptedOpencode(home: string, steered = true): Promise<Scripted> {
  mkdirSync(home, { recursive: true })
  const models = join(home, "models.json")
  writeFileSync(models, "{}")
  const scripted = await startScriptedModel()
  return {
    subject: {
      agent: "opencode",
      acts: opencodeActs(scripted, steered),
      skip: opencodeSkips,
      forget: () => rm(join(home, "data", "opencode"), { recursive: true, force: true }),
      deadModel: { model: "dead/one" },
    },
    env: {
      HOME: home,
      XDG_DATA_HOME: join(home, "data"),
      XDG_CONFIG_HOME: join(home, "config"),
      XDG_STATE_HOME: join(home, "state"),
      XDG_CACHE_HOME: join(home, "cache"),
      OPENCODE_CONFIG_CONTENT: configFor(scripted.url),
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      // For each directory it reads the whole catalog of models, most of what a directory costs; ours are in its configuration.
      OPENCODE_MODELS_PATH: models,
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      OPENCODE_DISABLE_SHARE: "1",
      // It would fetch a package of plugins into its configuration.
      npm_config_registry: "http://127.0.0.1:9/",
    },
    close: () => scripted.close(),
  }
}

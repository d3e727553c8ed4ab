import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const model = (name: string, more: object = {}) => ({
  name,
  reasoning: true,
  tool_call: true,
  attachment: true,
  modalities: { input: ["text", "image", "pdf"], output: ["text"] },
  interleaved: { field: "reasoning_content" },
  limit: { context: 128_000, output: 8_192 },
  cost: { input: 1, output: 2 },
  ...more,
})

/** Two models at the scripted endpoint, one of them with variants of its own. */
export const scriptedConfig = (url: string) => ({
  model: "scripted/one",
  small_model: "scripted/one",
  enabled_providers: ["scripted"],
  provider: {
    scripted: {
      npm: "@ai-sdk/openai-compatible",
      name: "Scripted",
      options: { baseURL: `${url}/v1`, apiKey: "dummy" },
      models: {
        one: model("One", { variants: { fast: { reasoningEffort: "low" }, deep: { reasoningEffort: "high" } } }),
        two: model("Two"),
      },
    },
  },
})

/** OpenCode with a home of its own, which asks nothing of the network. */
export function offlineEnvironment(home: string, url: string, config: object = {}): Record<string, string> {
  const models = join(home, "models.json")
  mkdirSync(home, { recursive: true })
  writeFileSync(models, "{}")
  return {
    HOME: home,
    XDG_DATA_HOME: join(home, "data"),
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_STATE_HOME: join(home, "state"),
    XDG_CACHE_HOME: join(home, "cache"),
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    // For each directory it reads the whole catalog of models; ours are in its configuration.
    OPENCODE_MODELS_PATH: models,
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    OPENCODE_DISABLE_SHARE: "1",
    // It would fetch a package of plugins into its configuration.
    npm_config_registry: "http://127.0.0.1:9/",
    OPENCODE_CONFIG_CONTENT: JSON.stringify({ ...scriptedConfig(url), ...config }),
  }
}

import { dirname, join } from "node:path"
import { opencodeBinary, opencodeIsHere, tested } from "@sandbox-agent/test-agents/opencode"
import type { BenchAgent } from "./agent.ts"
import { opencodeAlone } from "./opencode-alone.ts"

const configFor = (modelUrl: string): object => ({
  model: "scripted/one",
  small_model: "scripted/one",
  enabled_providers: ["scripted"],
  provider: {
    scripted: {
      npm: "@ai-sdk/openai-compatible",
      options: { baseURL: `${modelUrl}/v1`, apiKey: "dummy" },
      models: { one: { tool_call: true, limit: { context: 128_000, output: 8_192 } } },
    },
  },
})

const environment = (home: string, modelUrl: string): Record<string, string> => ({
  HOME: home,
  XDG_DATA_HOME: join(home, "data"),
  XDG_CONFIG_HOME: join(home, "config"),
  XDG_STATE_HOME: join(home, "state"),
  XDG_CACHE_HOME: join(home, "cache"),
  OPENCODE_CONFIG_CONTENT: JSON.stringify(configFor(modelUrl)),
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_MODELS_FETCH: "1",
  OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
  OPENCODE_DISABLE_SHARE: "1",
  // It would fetch a package of plugins into its configuration.
  npm_config_registry: "http://127.0.0.1:9/",
})

export const opencode: BenchAgent = {
  name: "opencode",
  title: "OpenCode",
  version: tested,
  size: "60 MB",
  isHere: opencodeIsHere,
  folder: () => dirname(opencodeBinary()),
  environment: (home, modelUrl) => ({ daemon: environment(home, modelUrl) }),
  alone: (modelUrl) => opencodeAlone(opencodeBinary(), (home) => environment(home, modelUrl), "shared"),
  apart: (modelUrl) => opencodeAlone(opencodeBinary(), (home) => environment(home, modelUrl), "apart"),
}

import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { codexBinary, codexIsHere, tested } from "@sandbox-agent/test-agents/codex"
import type { BenchAgent } from "./agent.ts"
import { codexAlone } from "./codex-alone.ts"

const configFor = (modelUrl: string): string => `
model = "gpt-5.5"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "${modelUrl}/v1"
wire_api = "responses"
[analytics]
enabled = false
[features]
plugins = false
remote_plugin = false
`

function environment(home: string, modelUrl: string): Record<string, string> {
  const folder = join(home, ".codex")
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "config.toml"), configFor(modelUrl))
  return { HOME: home, CODEX_HOME: folder }
}

export const codex: BenchAgent = {
  name: "codex",
  title: "Codex",
  version: tested,
  size: "120 MB",
  isHere: codexIsHere,
  folder: () => dirname(codexBinary()),
  environment: (home, modelUrl) => ({ daemon: environment(home, modelUrl) }),
  alone: (modelUrl) => codexAlone(codexBinary(), (home) => environment(home, modelUrl), "shared"),
  apart: (modelUrl) => codexAlone(codexBinary(), (home) => environment(home, modelUrl), "apart"),
}

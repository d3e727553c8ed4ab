import { dirname } from "node:path"
import { claudeBinary, claudeIsHere, newest } from "@sandbox-agent/test-agents/claude"
import type { BenchAgent } from "./agent.ts"
import { claudeAlone } from "./claude-alone.ts"

const environment = (home: string, modelUrl: string): Record<string, string> => ({
  HOME: home,
  ANTHROPIC_BASE_URL: modelUrl,
  ANTHROPIC_API_KEY: "dummy",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_TELEMETRY: "1",
  DISABLE_ERROR_REPORTING: "1",
  CLAUDE_CODE_MAX_RETRIES: "1",
})

export const claude: BenchAgent = {
  name: "claude",
  title: "Claude Code",
  version: newest,
  size: "130 MB",
  isHere: claudeIsHere,
  folder: () => dirname(claudeBinary(newest)),
  environment: (home, modelUrl) => ({ session: environment(home, modelUrl) }),
  alone: (modelUrl) => claudeAlone(claudeBinary(newest), (home) => environment(home, modelUrl)),
}

import { existsSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { claudeBinary, newest } from "../../packages/daemon/test/drivers/claude/binary.ts"
import type { BenchAgent } from "./agent.ts"
import { claudeAlone } from "./claude-alone.ts"

/** Where tests and bench keep real agents; a whole download has this name. */
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "sandbox-agent/test-agents")

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
  isHere: () => existsSync(join(cache, `claude-${newest}`)),
  folder: () => dirname(claudeBinary(newest)),
  environment: (home, modelUrl) => ({ session: environment(home, modelUrl) }),
  alone: (modelUrl) => claudeAlone(claudeBinary(newest), (home) => environment(home, modelUrl)),
}

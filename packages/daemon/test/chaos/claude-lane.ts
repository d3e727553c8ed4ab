import { join } from "node:path"
import { Lane } from "./lane.ts"
import { claudeTongue } from "./tongues.ts"

/** One session with a real Claude Code, a process of its own. */
export class ClaudeLane extends Lane {
  readonly tongue = claudeTongue
  readonly home = join(this.daemon.dataDir, "home")

  async create(): Promise<void> {
    const env = {
      HOME: this.home,
      ANTHROPIC_BASE_URL: this.model.url,
      ANTHROPIC_API_KEY: "dummy",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
      CLAUDE_CODE_MAX_RETRIES: "1",
    }
    await this.createWith({ agent: "claude", env })
  }
}

import { join } from "node:path"
import { ChaosSession } from "./chaos-session.ts"
import { claudeDialect } from "./dialects.ts"

/** One session with a real Claude Code, a process of its own. */
export class ClaudeChaosSession extends ChaosSession {
  readonly dialect = claudeDialect
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

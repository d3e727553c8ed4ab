import { join } from "node:path"
import { piSettings } from "@sandbox-agent/conformance/agents/pi"
import { ChaosSession } from "./chaos-session.ts"
import { piDialect } from "./dialects.ts"

/** One session with a real Pi, a process of its own. */
export class PiChaosSession extends ChaosSession {
  readonly dialect = piDialect
  readonly home = join(this.daemon.dataDir, "home")

  async create(): Promise<void> {
    await this.createWith({ agent: "pi", env: piSettings(this.home, this.model.url) })
  }
}

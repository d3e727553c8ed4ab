import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { ScriptedModel } from "@sandbox-agent/scripted-model"
import { configFor } from "../drivers/codex/live.ts"
import type { TestDaemon } from "../harness/daemon.ts"
import { ChaosSession } from "./chaos-session.ts"
import { codexDialect } from "./dialects.ts"
import { type TaggedProcess, taggedProcessesOf } from "./tagged-processes.ts"

/** One session with a real Codex. Those with the same home share a server, and die together. */
export class CodexChaosSession extends ChaosSession {
  readonly dialect = codexDialect
  readonly home: string

  constructor(daemon: TestDaemon, model: ScriptedModel, id: string, random: () => number, home = `home-${id}`) {
    super(daemon, model, id, random)
    this.home = join(daemon.dataDir, home)
  }

  override processes(): TaggedProcess[] {
    return taggedProcessesOf("", this.home)
  }

  async create(): Promise<void> {
    const codexHome = join(this.home, ".codex")
    mkdirSync(codexHome, { recursive: true })
    writeFileSync(join(codexHome, "config.toml"), configFor(this.model.url))
    await this.createWith({ agent: "codex", env: { HOME: this.home, CODEX_HOME: codexHome } })
  }
}

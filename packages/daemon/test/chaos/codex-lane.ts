import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { ScriptedModel } from "@sandbox-agent/scripted-model"
import { configFor } from "../drivers/codex/live.ts"
import type { TestDaemon } from "../harness/daemon.ts"
import { carriersOf } from "./carriers.ts"
import { Lane } from "./claude-lane.ts"
import { asks } from "./codex-model.ts"

/** One session with a real Codex. Those with the same home share a server, and die together. */
export class CodexLane extends Lane {
  readonly #model: ScriptedModel
  readonly #dataDir: string
  readonly home: string

  constructor(daemon: TestDaemon, model: ScriptedModel, id: string, random: () => number, home = `home-${id}`) {
    super(daemon, model, id, random)
    this.#model = model
    this.#dataDir = daemon.dataDir
    this.home = join(daemon.dataDir, home)
  }

  override carriers = () => carriersOf("", this.home)

  override async create(): Promise<void> {
    const directory = join(this.#dataDir, `workspace-${this.id}`)
    const codexHome = join(this.home, ".codex")
    mkdirSync(directory)
    mkdirSync(codexHome, { recursive: true })
    writeFileSync(join(codexHome, "config.toml"), configFor(this.#model.url))
    const env = { HOME: this.home, CODEX_HOME: codexHome }
    const { healthy, session } = await this.api.create(this.id, { agent: "codex", directory, env })
    if (!healthy) throw new Error(`${this.id} is not healthy: ${JSON.stringify(session.error)}`)
  }

  override asked(message: string) {
    return this.#model.waitFor(asks(message), 30_000)
  }
}

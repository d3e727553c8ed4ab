import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { type ScriptedModel, startScriptedModel } from "@sandbox-agent/scripted-model"
import type { ScriptItem } from "@sandbox-agent/scripted-model/step"
import { claudeBinary, newest } from "@sandbox-agent/test-agents/claude"
import { patchSession } from "../../../src/core/settings.ts"
import { createClaudeDriver } from "../../../src/drivers/claude/driver.ts"
import { nativeVariables } from "../../../src/registry/variables.ts"
import { createSupervisor } from "../../../src/supervisor/supervisor.ts"
import { alwaysThere, DriverStage } from "../stage.ts"

/** The real Claude Code under the real core; only the model is scripted. */
export class Live extends DriverStage {
  constructor(
    readonly model: ScriptedModel,
    version: string,
    command: string[] = [claudeBinary(version)],
  ) {
    const program = { installed: true, version, credentials: "available" as const, command }
    super(createClaudeDriver({ programs: alwaysThere(program) }), (daemonId) =>
      createSupervisor({ daemonId, log: () => {}, variables: nativeVariables }),
    )
    mkdirSync(this.home)
  }

  get home(): string {
    return join(this.directory, "home")
  }

  get env(): Record<string, string> {
    return {
      HOME: this.home,
      ANTHROPIC_BASE_URL: this.model.url,
      ANTHROPIC_API_KEY: "dummy",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
      CLAUDE_CODE_MAX_RETRIES: "1",
    }
  }

  file = (name: string): string => join(this.workspace, name)

  /** Writes a file, text or JSON, and the folders it needs. */
  put(file: string, content: unknown): void {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content))
  }

  /** Claude Code has this message: it reads line by line, and has answered to one that came behind it. */
  async hasRead(message: string): Promise<void> {
    while (!this.#lines().some((line) => line.includes(`"content":${JSON.stringify(message)}`))) await Bun.sleep(10)
    await patchSession(this.session, { variant: "low" })
  }

  /** What went over its pipe, both ways. */
  #lines(): string[] {
    const { store, reader } = this.core.context
    const { rawCount, record } = this.session
    store.flush()
    return Array.from({ length: rawCount }, (_, n) => reader.rawLine(record.uid, n + 1) ?? "")
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]()
    await this.model.close()
  }
}

export interface LiveOptions {
  version?: string
  /** What starts it; without one the program itself. */
  command?: string[]
  /** Where its model listens; any free port without it. */
  port?: number
  create?: Parameters<DriverStage["create"]>[1]
  /** Called before the session is created. */
  prepare?(live: Live): void
  /** Folder of the workspace that the session is in. */
  below?: string
}

/** `await using live = await startLive([...])`: a session is open and its model says what the script says. */
export async function startLive(script: readonly ScriptItem[], options: LiveOptions = {}): Promise<Live> {
  const model = await startScriptedModel({ script, port: options.port })
  const live = new Live(model, options.version ?? newest, options.command)
  try {
    options.prepare?.(live)
    const { env, ...create } = options.create ?? {}
    const directory = join(live.workspace, options.below ?? "")
    await live.create("live", { env: { ...live.env, ...env }, directory, ...create })
  } catch (error) {
    await live[Symbol.asyncDispose]()
    throw error
  }
  return live
}

import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type ScriptedModel, startScriptedModel } from "@sandbox-agent/scripted-model"
import type { ScriptItem } from "@sandbox-agent/scripted-model/step"
import type { Program } from "../../../src/core/programs.ts"
import type { AcpAgent } from "../../../src/drivers/acp/agent.ts"
import { createAcpDriver } from "../../../src/drivers/acp/driver.ts"
import { createSupervisor, type ListingSupervisor } from "../../../src/supervisor/supervisor.ts"
import { alwaysThere, DriverStage } from "../stage.ts"
import { agentOf, entryOf, programOf } from "./program.ts"

/** A real ACP agent under the real core; only the model is scripted. */
export class Live extends DriverStage {
  readonly #supervisor: ListingSupervisor

  constructor(
    readonly agent: AcpAgent,
    readonly model: ScriptedModel,
    program: Program,
  ) {
    let supervisor: ListingSupervisor | undefined
    super(createAcpDriver({ agent, programs: alwaysThere(program) }), (daemonId) => {
      supervisor = createSupervisor({ daemonId, log: () => {} })
      return supervisor
    })
    if (supervisor === undefined) throw new Error("the stage has made no supervisor")
    this.#supervisor = supervisor
    mkdirSync(join(this.home, ".codex"), { recursive: true })
    writeFileSync(join(this.home, ".codex", "config.toml"), codexConfig(this.model.url))
  }

  get home(): string {
    return join(this.directory, "home")
  }

  /** What each of the agents needs to find the model. */
  get env(): Record<string, string> {
    const { url } = this.model
    return {
      HOME: this.home,
      ...{ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "dummy", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" },
      ...{ CLAUDE_CODE_MAX_RETRIES: "1", DISABLE_TELEMETRY: "1", DISABLE_ERROR_REPORTING: "1" },
      ...{ CODEX_HOME: join(this.home, ".codex"), SCRIPTED_API_KEY: "dummy" },
      ...{ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "dummy", OPENAI_MODEL: "scripted-1" },
      ...{ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: "dummy", GEMINI_MODEL: "gemini-2.5-pro" },
    }
  }

  override create(id: string, body: Parameters<DriverStage["create"]>[1] = {}) {
    return super.create(id, { agent: this.agent.id, ...body, env: { ...this.env, ...body.env } })
  }

  /** Kills every process of the agent, whosever it is: sessions may share one. */
  async killAgent(): Promise<void> {
    const owners = new Set(this.#supervisor.list().map(({ owner }) => owner))
    await Promise.all([...owners].map((owner) => this.#supervisor.killOwner(owner)))
  }

  file = (name: string): string => join(this.workspace, name)

  put(path: string, content: unknown): void {
    mkdirSync(join(path, ".."), { recursive: true })
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content))
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]()
    await this.model.close()
  }
}

const codexConfig = (url: string): string => `model = "gpt-5.5"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_API_KEY"
request_max_retries = 0
stream_max_retries = 0
`

export interface LiveOptions {
  create?: Parameters<DriverStage["create"]>[1]
  /** Before the session is made. */
  prepare?(live: Live): void
}

/** `await using live = await startLive("gemini", [...])`: a session is open and its model says what the script says. */
export async function startLive(id: string, script: readonly ScriptItem[], { create = {}, prepare }: LiveOptions = {}) {
  const entry = entryOf(id)
  const program = await programOf(entry)
  const live = new Live(agentOf(entry), await startScriptedModel({ script }), program)
  try {
    prepare?.(live)
    await live.create("live", create)
  } catch (error) {
    await live[Symbol.asyncDispose]()
    throw error
  }
  return live
}

import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { CreateSession } from "@sandbox-agent/schema/session"
import { type ScriptedModel, startScriptedModel } from "@sandbox-agent/scripted-model"
import type { ScriptItem } from "@sandbox-agent/scripted-model/step"
import { codexBinary, tested } from "@sandbox-agent/test-agents/codex"
import type { Session } from "../../../src/core/session.ts"
import type { Supervisor } from "../../../src/core/supervisor.ts"
import { createCodexDriver } from "../../../src/drivers/codex/driver.ts"
import { nativeVariables } from "../../../src/registry/variables.ts"
import { createSupervisor } from "../../../src/supervisor/supervisor.ts"
import { alwaysThere, DriverStage } from "../stage.ts"

/** Newer models call everything through one JavaScript tool, and only those have sub-agents unasked. */
export const configFor = (url: string): string => `
model = "gpt-5.5"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 1
[analytics]
enabled = false
[features]
multi_agent_v2 = true
plugins = false
remote_plugin = false
`

/** The real Codex under the real core; only the model is scripted. All sessions of a test file share one server. */
export class Live extends DriverStage {
  #count = 0

  constructor(
    readonly model: ScriptedModel,
    readonly supervisor: ReturnType<typeof createSupervisor>,
    before: readonly string[],
    version: string,
  ) {
    const command = [...before, codexBinary(version)]
    const program = { installed: true, version, credentials: "available" as const, command }
    super(createCodexDriver({ programs: alwaysThere(program), version: "0" }), () => supervisor as Supervisor)
    mkdirSync(this.home)
    // What Codex offers is asked for before there is a session: not in the home of whoever runs the tests.
    process.env.HOME = this.directory
    writeFileSync(join(this.home, "config.toml"), configFor(model.url))
  }

  get home(): string {
    return join(this.directory, "home")
  }

  get env(): Record<string, string> {
    return { HOME: this.directory, CODEX_HOME: this.home }
  }

  /** Pids of the servers that run. */
  get servers(): number[] {
    return this.supervisor.list().flatMap(({ label, pid }) => (label === "codex" ? pid : []))
  }

  /** A session in a folder of its own, whose model says what the script says. */
  async open(script: readonly ScriptItem[], body: Partial<CreateSession> = {}): Promise<Session> {
    const id = `live-${++this.#count}`
    const directory = body.directory ?? join(this.directory, id)
    mkdirSync(directory, { recursive: true })
    const { env, ...rest } = body
    const session = await this.create(id, { agent: "codex", directory, env: { ...this.env, ...env }, ...rest })
    this.script(session, script)
    return session
  }

  /** What the model says in this session. */
  script(session: Session, script: readonly ScriptItem[]): void {
    this.model.script(session.record.native.id ?? "", script)
  }

  requests(session: Session) {
    return this.model.requestsOf(session.record.native.id ?? "")
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]()
    await this.model.close()
  }
}

/** `before`: what starts the program in another surrounding. */
export async function startLive(before: readonly string[] = [], version = tested): Promise<Live> {
  const supervisor = createSupervisor({
    daemonId: crypto.randomUUID(),
    log: () => {},
    variables: nativeVariables,
  })
  return new Live(await startScriptedModel(), supervisor, before, version)
}

import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { CreateSession } from "@sandbox-agent/schema/session"
import { type ScriptedModel, startScriptedModel } from "@sandbox-agent/scripted-model"
import type { ScriptItem } from "@sandbox-agent/scripted-model/step"
import { opencodeBinary, tested } from "@sandbox-agent/test-agents/opencode"
import { replyPermission } from "../../../src/core/replies.ts"
import type { Session } from "../../../src/core/session.ts"
import { createOpencodeDriver } from "../../../src/drivers/opencode/driver.ts"
import { nativeVariables } from "../../../src/registry/variables.ts"
import { createSupervisor } from "../../../src/supervisor/supervisor.ts"
import { alwaysThere, DriverStage } from "../stage.ts"
import { offlineEnvironment } from "./environment.ts"

/** The real OpenCode under the real core; only the model is scripted. All sessions of a test file share one server. */
export class Live extends DriverStage {
  #count = 0

  constructor(readonly model: ScriptedModel) {
    const program = { installed: true, version: tested, credentials: "available" as const, command: [opencodeBinary()] }
    super(createOpencodeDriver({ programs: alwaysThere(program) }), (daemonId) =>
      createSupervisor({ daemonId, log: () => {}, variables: nativeVariables }),
    )
    mkdirSync(this.home)
  }

  get home(): string {
    return join(this.directory, "home")
  }

  get env(): Record<string, string> {
    return offlineEnvironment(this.home, this.model.url)
  }

  /** A session in a folder of its own, whose model says what the script says. */
  async open(script: readonly ScriptItem[], body: Partial<CreateSession> = {}): Promise<Session> {
    const id = `live-${++this.#count}`
    const directory = body.directory ?? join(this.directory, id)
    mkdirSync(directory, { recursive: true })
    const { env, ...rest } = body
    const session = await this.create(id, { agent: "opencode", directory, env: { ...this.env, ...env }, ...rest })
    this.script(session, script)
    return session
  }

  /** Answers the n-th permission of a session, from 1. */
  async allow(session: Session, n = 1, reply: "once" | "always" | "reject" = "once", message?: string) {
    const asked = await this.permission(n, session)
    await replyPermission(session, asked.permission_id, reply, message)
    return asked
  }

  decisions = (session: Session) =>
    this.of("permission.resolved", session).map(({ data }) => [data.status, data.by ?? data.reason])

  results = (session: Session) =>
    this.items(session).flatMap(({ content }) => content.filter((part) => part.type === "tool_result"))

  file = (session: Session, name: string): string => join(session.record.directory, name)

  /** The servers that this stage has started. */
  get servers(): number[] {
    const found = Bun.spawnSync(["pgrep", "-P", String(process.pid), "-f", "opencode.* serve"]).stdout.toString()
    return found.split("\n").filter(Boolean).map(Number)
  }

  /** What the model says in this session, and in those of its sub-agents. */
  script(session: Session, script: readonly ScriptItem[]): void {
    this.model.script(session.record.native.id ?? "", script)
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]()
    await this.model.close()
  }
}

export const startLive = async (): Promise<Live> => new Live(await startScriptedModel())

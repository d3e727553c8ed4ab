import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { type ScriptedModel, startScriptedModel } from "@sandbox-agent/scripted-model"
import type { ScriptItem } from "@sandbox-agent/scripted-model/step"
import { ampBinary, tested } from "@sandbox-agent/test-agents/amp"
import { daemonProgram } from "@sandbox-agent/test-agents/daemon-program"
import type { Deadlines } from "../../../src/core/deadline.ts"
import { createAmpDriver } from "../../../src/drivers/amp/driver.ts"
import { nativeVariables } from "../../../src/registry/variables.ts"
import { createSupervisor } from "../../../src/supervisor/supervisor.ts"
import { alwaysThere, DriverStage } from "../stage.ts"

/** The real Amp under the real core; only the model, and the server of its threads, are scripted. */
export class Live extends DriverStage {
  constructor(
    readonly model: ScriptedModel,
    patience?: Partial<Deadlines>,
  ) {
    const program = { installed: true, version: tested, credentials: "available" as const, command: [ampBinary()] }
    super(
      createAmpDriver({ programs: alwaysThere(program), self: daemonProgram() }),
      (daemonId) => createSupervisor({ daemonId, log: () => {}, variables: nativeVariables }),
      patience,
    )
    mkdirSync(this.home)
  }

  get home(): string {
    return join(this.directory, "home")
  }

  get env(): Record<string, string> {
    return { HOME: this.home, AMP_URL: this.model.url, AMP_API_KEY: "dummy" }
  }

  file = (name: string): string => join(this.workspace, name)

  /** Its waits, for a test that is short of patience. */
  waits(intervals: object): void {
    Object.assign(this.core.context, { intervals: { ...this.core.context.intervals, ...intervals } })
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]()
    await this.model.close()
  }
}

export interface LiveOptions {
  create?: Parameters<DriverStage["create"]>[1]
  patience?: Partial<Deadlines>
  intervals?: object
}

/** `await using live = await startLive([...])`: a session is open and its model says what the script says. */
export async function startLive(script: readonly ScriptItem[], options: LiveOptions = {}): Promise<Live> {
  const live = new Live(await startScriptedModel({ script }), options.patience)
  try {
    live.waits(options.intervals ?? {})
    const { env, ...create } = options.create ?? {}
    await live.create("live", { agent: "amp", env: { ...live.env, ...env }, ...create })
  } catch (error) {
    await live[Symbol.asyncDispose]()
    throw error
  }
  return live
}

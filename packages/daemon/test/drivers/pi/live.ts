import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { piSettings } from "@sandbox-agent/conformance/agents/pi"
import { type ScriptedModel, startScriptedModel } from "@sandbox-agent/scripted-model"
import type { ScriptItem } from "@sandbox-agent/scripted-model/step"
import { piCommand, tested } from "@sandbox-agent/test-agents/pi"
import { createPiDriver } from "../../../src/drivers/pi/driver.ts"
import { nativeVariables } from "../../../src/registry/variables.ts"
import { createSupervisor } from "../../../src/supervisor/supervisor.ts"
import { alwaysThere, DriverStage } from "../stage.ts"

/** The real Pi under the real core; only the model is scripted. */
export class Live extends DriverStage {
  readonly env: Record<string, string>

  constructor(readonly model: ScriptedModel) {
    const program = {
      ...{ installed: true, version: tested, credentials: "available" as const },
      command: piCommand(),
      env: { BUN_BE_BUN: "1" },
    }
    super(createPiDriver({ programs: alwaysThere(program) }), (daemonId) =>
      createSupervisor({ daemonId, log: () => {}, variables: nativeVariables }),
    )
    this.env = piSettings(join(this.directory, "home"), model.url)
  }

  /** What Pi has of its user's. */
  get agentFolder(): string {
    return join(this.directory, "home", "agent")
  }

  writeAgentFile(name: string, content: string): void {
    mkdirSync(join(this.agentFolder, name, ".."), { recursive: true })
    writeFileSync(join(this.agentFolder, name), content)
  }

  file = (name: string): string => join(this.workspace, name)

  /** All that the model was given with a request, the last one if none is named. */
  given = (at = -1): string => JSON.stringify(this.model.requests.at(at)?.body)

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]()
    await this.model.close()
  }
}

export interface LiveOptions {
  create?: Parameters<DriverStage["create"]>[1]
  /** Files in the user's folder of Pi. */
  files?: Readonly<Record<string, string>>
}

/** `await using live = await startLive([...])`: a session is open and its model says what the script says. */
export async function startLive(
  script: readonly ScriptItem[],
  { create = {}, files = {} }: LiveOptions = {},
): Promise<Live> {
  const live = new Live(await startScriptedModel({ script }))
  try {
    for (const [name, content] of Object.entries(files)) live.writeAgentFile(name, content)
    const { env, ...rest } = create
    await live.create("live", { agent: "pi", env: { ...live.env, ...env }, ...rest })
  } catch (error) {
    await live[Symbol.asyncDispose]()
    throw error
  }
  return live
}

import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { CreateSession } from "@sandbox-agent/schema/session"
import type { Deadlines } from "../../../src/core/deadline.ts"
import { createAcpDriver } from "../../../src/drivers/acp/driver.ts"
import { createSupervisor } from "../../../src/supervisor/supervisor.ts"
import { scratch } from "../../harness/daemon.ts"
import { alwaysThere, DriverStage } from "../stage.ts"
import type { Rules } from "./coupled-agent.ts"

const program = fileURLToPath(new URL("./coupled-agent.ts", import.meta.url))

/** An agent nobody has described, with an option that depends on its model; one folder is one memory. */
export class Coupled extends DriverStage {
  constructor(
    readonly folder = join(scratch(), "memory"),
    patience: Partial<Deadlines> = {},
  ) {
    mkdirSync(folder, { recursive: true })
    const command = [process.execPath, "--no-env-file", program, folder]
    const agent = { id: "coupled", name: "Coupled", args: [], env: {}, traits: { capabilities: { resume: true } } }
    const programs = alwaysThere({ installed: true, credentials: "available", command })
    const supervisor = (daemonId: string) => createSupervisor({ daemonId, log: () => {} })
    super(createAcpDriver({ agent, programs, lingerMs: 0 }), supervisor, patience)
    const { context } = this.core
    // As in a daemon, where the driver is as patient as the core.
    Object.assign(context, { intervals: { ...context.intervals, ...patience } })
  }

  open = (body: Partial<CreateSession> = {}, id = "one") => this.create(id, { agent: "coupled", ...body })

  /** Its model and its pace, as the agent has them. */
  async has(): Promise<string> {
    await this.run("which?")
    return (this.transcript().at(-1) ?? "").replace("assistant: ", "")
  }

  /** Whether its agent was begun anew. */
  get rebuilt(): boolean {
    return this.of("session.updated").some(({ data }) => data.context === "rebuilt")
  }

  rules(rules: Rules): void {
    writeFileSync(join(this.folder, "rules.json"), JSON.stringify(rules))
  }
}

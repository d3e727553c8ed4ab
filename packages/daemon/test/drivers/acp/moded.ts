import { fileURLToPath } from "node:url"
import type { AcpTraits } from "@sandbox-agent/schema/registry"
import type { CreateSession } from "@sandbox-agent/schema/session"
import { hostFor } from "../../../src/core/opening.ts"
import { createAcpDriver } from "../../../src/drivers/acp/driver.ts"
import { createSupervisor } from "../../../src/supervisor/supervisor.ts"
import { alwaysThere, DriverStage } from "../stage.ts"

const program = fileURLToPath(new URL("./moded-agent.ts", import.meta.url))

/** The agent whose modes nobody knows, under the real core, with what its registry entry says. */
export class Moded extends DriverStage {
  constructor(traits: AcpTraits) {
    const command = [process.execPath, "--no-env-file", program]
    const agent = { id: "moded", name: "Moded", args: [], env: {}, traits }
    const programs = alwaysThere({ installed: true, credentials: "available", command })
    super(createAcpDriver({ agent, programs }), (daemonId) => createSupervisor({ daemonId, log: () => {} }))
  }

  open = (body: Partial<CreateSession> = {}, id = "one") => this.create(id, { agent: "moded", ...body })

  async modes() {
    const driver = this.core.sessions.driver("moded")
    const { modes } = await driver.catalog(hostFor(this.core.context, "moded"))
    return modes.map(({ id, unverified }) => (unverified ? `${id}?` : id))
  }

  /** What it did when it was told to. */
  async does(words = "do"): Promise<string> {
    const before = this.of("permission.requested").length
    const asked = this.until("permission.requested", () => this.of("permission.requested").length > before)
    const turn = this.run(words)
    const open = await Promise.race([asked.then(() => true), turn.then(() => false)])
    if (open) {
      const last = this.of("permission.requested").at(-1)?.data
      if (last !== undefined && this.session.requests.size > 0) await this.reply(last.permission_id, "once")
    }
    await turn
    return this.said()
  }

  said(): string {
    const last = this.transcript().findLast((line) => line.startsWith("assistant: ")) ?? ""
    return last.replace("assistant: ", "").trim()
  }

  notes = (): string[] =>
    this.items().flatMap(({ content }) =>
      content.flatMap((part) => (part.type === "status" && part.label === "moded.mode" ? [part.detail ?? ""] : [])),
    )
}

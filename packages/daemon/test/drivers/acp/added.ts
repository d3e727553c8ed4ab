import { fileURLToPath } from "node:url"
import { createSupervisor } from "../../../src/agents/supervisor.ts"
import { createAcpDriver } from "../../../src/drivers/acp/driver.ts"
import { alwaysThere, DriverStage } from "../stage.ts"

export const sdkAgent = fileURLToPath(new URL("./sdk-agent.ts", import.meta.url))

const program = { installed: true, credentialsAvailable: true, command: [process.execPath, "--no-env-file", sdkAgent] }

/** The agent by the official SDK under the real core, with nothing known of it but its command. */
export class AddedStage extends DriverStage {
  constructor(sessions: "one" | "many" = "one") {
    const agent = { id: "added", name: "Added", args: [], env: {}, traits: { sessions } }
    super(createAcpDriver({ agent, programs: alwaysThere(program) }), (daemonId) =>
      createSupervisor({ daemonId, log: () => {} }),
    )
  }

  override create(id: string, body: Parameters<DriverStage["create"]>[1] = {}) {
    return super.create(id, { agent: "added", ...body })
  }

  said(s = this.session): string {
    return (
      this.transcript(s)
        .at(-1)
        ?.replace(/^assistant: /, "") ?? ""
    )
  }
}

export async function startAdded(body: Parameters<DriverStage["create"]>[1] = {}, sessions?: "one" | "many") {
  const stage = new AddedStage(sessions)
  await stage.create("first", body)
  return stage
}

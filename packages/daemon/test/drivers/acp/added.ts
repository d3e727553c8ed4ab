import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { createSupervisor } from "../../../src/agents/supervisor.ts"
import { createAcpDriver } from "../../../src/drivers/acp/driver.ts"
import { alwaysThere, DriverStage } from "../stage.ts"

export const sdkAgent = fileURLToPath(new URL("./sdk-agent.ts", import.meta.url))

const programWith = (...words: string[]) => ({
  installed: true,
  credentials: "available" as const,
  command: [process.execPath, "--no-env-file", sdkAgent, ...words],
})

/** The agent by the official SDK under the real core, with nothing known of it but its command. */
export class AddedStage extends DriverStage {
  constructor(sessions: "one" | "many" = "one", folder?: string) {
    const agent = { id: "added", name: "Added", args: [], env: {}, traits: { sessions, options: ["style"] } }
    const program = programWith(...(folder === undefined ? [] : [folder]))
    // One that keeps its sessions is known from stage to stage, as it is from daemon to daemon.
    const memory = folder === undefined ? undefined : join(folder, "learned")
    super(createAcpDriver({ agent, programs: alwaysThere(program), memory }), (daemonId) =>
      createSupervisor({ daemonId, log: () => {} }),
    )
  }

  override create(id: string, body: Parameters<DriverStage["create"]>[1] = {}) {
    return super.create(id, { agent: "added", ...body })
  }

  /** The process of the agent that lives now. */
  get pid(): number {
    const supervisor = this.core.context.supervisor as unknown as { list(): { label: string; pid: number }[] }
    const found = supervisor.list().find(({ label }) => label === "added")
    if (found === undefined) throw new Error("no agent runs")
    return found.pid
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

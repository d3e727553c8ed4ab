import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { AcpTraits } from "@sandbox-agent/schema/registry"
import type { Deadlines } from "../../../src/core/deadline.ts"
import { createAcpDriver } from "../../../src/drivers/acp/driver.ts"
import { createSupervisor, type ListingSupervisor } from "../../../src/supervisor/supervisor.ts"
import { alwaysThere, DriverStage } from "../stage.ts"

export interface AddedOptions {
  patience?: Partial<Deadlines>
  /** What its entry says; without, only how its sessions share a process. */
  traits?: AcpTraits
  words?: string[]
}

export const sdkAgent = fileURLToPath(new URL("./sdk-agent.ts", import.meta.url))

const programWith = (...words: string[]) => ({
  installed: true,
  credentials: "available" as const,
  command: [process.execPath, "--no-env-file", sdkAgent, ...words],
})

/** The agent by the official SDK under the real core, with nothing known of it but its command. */
export class AddedStage extends DriverStage {
  constructor(sessions: "one" | "directory" | "many" | undefined = "one", folder?: string, more: AddedOptions = {}) {
    const { patience, words = [], traits = { sessions, options: ["style"] } } = more
    const agent = { id: "added", name: "Added", args: words, env: {}, traits }
    const program = programWith(...(folder === undefined ? [] : [folder]))
    // One that keeps its sessions is known from stage to stage, as it is from daemon to daemon.
    const memory = folder === undefined ? undefined : join(folder, "learned")
    const supervisor = (daemonId: string) => createSupervisor({ daemonId, log: () => {} })
    super(createAcpDriver({ agent, programs: alwaysThere(program), memory, lingerMs: 0 }), supervisor, patience)
  }

  override create(id: string, body: Parameters<DriverStage["create"]>[1] = {}) {
    return super.create(id, { agent: "added", ...body })
  }

  /** Processes of the agent that live now. */
  get pids(): number[] {
    const supervisor = this.core.context.supervisor as ListingSupervisor
    return supervisor.list().flatMap(({ label, pid }) => (label === "added" ? [pid] : []))
  }

  /** The process of the agent that lives now. */
  get pid(): number {
    const [found] = this.pids
    if (found === undefined) throw new Error("no agent runs")
    return found
  }

  said(s = this.session): string {
    return (
      this.transcript(s)
        .at(-1)
        ?.replace(/^assistant: /, "") ?? ""
    )
  }
}

export async function startAdded(
  body: Parameters<DriverStage["create"]>[1] = {},
  sessions?: "one" | "directory" | "many",
) {
  const stage = new AddedStage(sessions)
  await stage.create("first", body)
  return stage
}

import { fileURLToPath } from "node:url"
import type { ContentPart } from "@sandbox-agent/schema/item"
import type { AcpTraits } from "@sandbox-agent/schema/registry"
import { createAcpDriver } from "../../../src/drivers/acp/driver.ts"
import { createSupervisor } from "../../../src/supervisor/supervisor.ts"
import type { Step } from "../../hostile/puppet-agent.ts"
import { alwaysThere, DriverStage } from "../stage.ts"

const program = fileURLToPath(new URL("../../hostile/puppet-agent.ts", import.meta.url))

/** The agent that does what it is told, under the real core. */
export class PuppetStage extends DriverStage {
  constructor(traits: AcpTraits = {}, args: string[] = []) {
    const command = [process.execPath, "--no-env-file", program]
    const agent = { id: "puppet", name: "Puppet", args, env: {}, traits }
    const programs = alwaysThere({ installed: true, credentials: "available", command })
    super(createAcpDriver({ agent, programs, lingerMs: 0 }), (daemonId) =>
      createSupervisor({ daemonId, log: () => {} }),
    )
  }

  open = () => this.create("one", { agent: "puppet" })

  play = (...steps: Step[]) => this.run(JSON.stringify(steps))

  /** Of every call its arguments, and of every result its output, as they were completed. */
  calls = (): string[] =>
    this.items().flatMap(({ content, late }) =>
      content.flatMap((part: ContentPart) => {
        const when = late ? "late " : ""
        if (part.type === "tool_call") return `${when}call ${part.call_id} ${part.arguments}`
        return part.type === "tool_result" ? `${when}result ${part.call_id} ${part.output}` : []
      }),
    )
}

export const call = (toolCallId: string, more: object = {}): Step => ({
  update: { sessionUpdate: "tool_call", toolCallId, title: toolCallId, kind: "execute", ...more },
})

export const update = (toolCallId: string, more: object): Step => ({
  update: { sessionUpdate: "tool_call_update", toolCallId, ...more },
})

export const say = (text: string, messageId?: string): Step => ({
  update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text }, ...(messageId && { messageId }) },
})

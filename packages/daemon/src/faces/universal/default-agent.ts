import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Services } from "../services.ts"

/** A session whose client named no agent has that of the daemon. */
export function withAgent<T extends { agent?: string | undefined }>(
  { defaultAgent, agents }: Pick<Services, "defaultAgent" | "agents">,
  body: T,
): T & { agent: string } {
  const agent = body.agent ?? defaultAgent
  if (agent !== undefined) return { ...body, agent }
  const { ids } = agents
  throw new SandboxAgentError("invalid_request", `body.agent: no agent is named; there are ${ids.join(", ")}`, {
    agents: ids,
    hint: "Name one in `agent`, or start the daemon with --default-agent.",
  })
}

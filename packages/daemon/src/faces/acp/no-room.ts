import { acpLimits } from "@sandbox-agent/schema/acp-limits"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { AcpStore } from "./acp.ts"

/** Why nothing more is taken from clients: what they make us keep cannot be written, and waits in memory. */
export function noRoom({ store }: AcpStore): SandboxAgentError | undefined {
  if (!store.failing || store.waitingChanges < acpLimits.unwritten) return undefined
  return new SandboxAgentError("unavailable", "the store cannot be written (disk full?)", {
    hint: "Reading goes on; send the request again once there is room.",
  })
}

import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Settings } from "../../core/driver.ts"
import { allCapabilitiesBut } from "../shared/capabilities.ts"

/** A finished plan is text of Codex's; it asks for no approval. */
export const capabilities = allCapabilitiesBut("planApproval")

export function checkSettings({ agentMode }: Partial<Settings>): void {
  if (agentMode !== undefined && agentMode !== "build" && agentMode !== "plan")
    throw new SandboxAgentError("mode_not_supported", `Codex has no mode ${agentMode}`, {
      agent: "codex",
      modes: ["build", "plan"],
    })
}

import { type Capabilities, capabilityNames } from "@sandbox-agent/schema/agent"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Settings } from "../../core/driver.ts"

/** A finished plan is text of Codex's; it asks for no approval. */
const cannot: readonly string[] = ["planApproval"]

export const capabilities = Object.fromEntries(
  capabilityNames.map((name) => [name, !cannot.includes(name)]),
) as Capabilities

export function checkSettings({ agentMode }: Partial<Settings>): void {
  if (agentMode !== undefined && agentMode !== "build" && agentMode !== "plan")
    throw new SandboxAgentError("mode_not_supported", `Codex has no mode ${agentMode}`, {
      agent: "codex",
      modes: ["build", "plan"],
    })
}

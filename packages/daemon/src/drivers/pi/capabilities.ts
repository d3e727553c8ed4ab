import type { Mode } from "@sandbox-agent/schema/agent"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Settings } from "../../core/driver.ts"
import { allCapabilitiesBut } from "../shared/capabilities.ts"
import { isLevel, levels } from "./models.ts"

/** What it cannot: it has one mode, and no tool for plans or sub-agents. */
export const capabilities = allCapabilitiesBut("planApproval", "plans", "subagents", "modes", "sharedProcess")

export const modes: Mode[] = [{ id: "build", name: "Build", description: "Does the work" }]

/** What Pi would pass over, as far as it is known before it runs. */
export function checkSettings({ agentMode = "build", model, variant }: Partial<Settings>): void {
  if (!modes.some(({ id }) => id === agentMode))
    throw new SandboxAgentError("mode_not_supported", `Pi has no mode ${agentMode}`, {
      agent: "pi",
      modes: modes.map(({ id }) => id),
    })
  if (model !== undefined && !/^[^/]+\/./.test(model))
    throw new SandboxAgentError("invalid_request", `Pi has no model ${JSON.stringify(model)}: they are PROVIDER/MODEL`)
  if (variant !== undefined && !isLevel(variant))
    throw new SandboxAgentError("invalid_request", `Pi has no variant ${variant}: ${levels.join(", ")}`)
}

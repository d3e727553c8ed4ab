import type { Mode, Model } from "@sandbox-agent/schema/agent"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Catalog, Settings } from "../../core/driver.ts"
import { allCapabilitiesBut } from "../shared/capabilities.ts"

export const capabilities = allCapabilitiesBut("mcpTools", "sharedProcess")

const modes: Mode[] = [
  { id: "build", name: "Build", description: "Runs the script" },
  { id: "plan", name: "Plan", description: "Runs the script; restricts nothing by itself" },
]

const models: Model[] = [
  { id: "mock-large", name: "Mock Large", variants: ["low", "medium", "high"], defaultVariant: "medium" },
  { id: "mock-small", name: "Mock Small", variants: [] },
]

const defaultModel = "mock-large"

export const catalog: Catalog = { modes, models, defaultModel }

type Choice = Partial<Pick<Settings, "agentMode" | "model" | "variant">>

/** Refuses what the catalog does not list. `current` is the model a variant alone is meant for. */
export function checkSettings({ agentMode, model, variant }: Choice, current = defaultModel): void {
  if (agentMode !== undefined && !modes.some((mode) => mode.id === agentMode)) {
    throw new SandboxAgentError("mode_not_supported", `Mock has no mode ${agentMode}`, {
      agent: "mock",
      modes: modes.map(({ id }) => id),
    })
  }
  const chosen = models.find(({ id }) => id === (model ?? current))
  if (!chosen)
    throw new SandboxAgentError("invalid_request", `Mock has no model ${model ?? current}`, {
      models: models.map(({ id }) => id),
    })
  if (variant !== undefined && !chosen.variants.includes(variant)) {
    throw new SandboxAgentError("invalid_request", `${chosen.name} has no variant ${variant}`, {
      variants: chosen.variants,
    })
  }
}

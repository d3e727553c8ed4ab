import type { Mode, Model } from "@sandbox-agent/schema/agent"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Catalog, Settings } from "../../core/driver.ts"
import { allCapabilitiesBut } from "../shared/capabilities.ts"

/** What it cannot: it has no tool for questions and none for plans, its sub-agents keep to themselves, it chooses the model. */
export const capabilities = allCapabilitiesBut(
  ...([
    "questions",
    "planApproval",
    "plans",
    "subagents",
    "models",
    "steer",
    "fork",
    "status",
    "sharedProcess",
  ] as const),
)

/** What a thread of its own is begun in; the thread keeps it. */
export type NativeMode = "smart" | "rush" | "large" | "deep"

/** The effort that is a mode's own: all modes have it, and it is how a session gets rid of another. */
const OWN_EFFORT = "default"

/** How hard its model may think, by mode; some modes do not let it be chosen. */
const efforts: Readonly<Record<NativeMode, readonly string[]>> = {
  smart: ["high", "xhigh", "max"],
  rush: [],
  large: [],
  deep: ["medium", "high", "xhigh"],
}

const modes: Mode[] = [
  { id: "build", name: "Build", description: "Does the work, in the mode that is Amp's default: smart" },
  { id: "rush", name: "Rush", description: "Faster and cheaper, for small tasks that are well described" },
  { id: "large", name: "Large", description: "The largest context window, for large tasks" },
  { id: "deep", name: "Deep", description: "Thinks longer before it acts" },
  { id: "smart", name: "Smart", description: "The most capable model and set of tools" },
]

/** The mode decides the model. What is listed are the efforts of the default mode; `deep` has others. */
const model: Model = {
  id: "default",
  name: "By mode",
  variants: [...efforts.smart, OWN_EFFORT],
  defaultVariant: "high",
}

export const catalog: Catalog = { modes, models: [model], defaultModel: model.id }

export const nativeMode = (agentMode: string): NativeMode =>
  Object.hasOwn(efforts, agentMode) ? (agentMode as NativeMode) : "smart"

/** What it is started with. */
export const effortOf = (variant: string | undefined): string | undefined =>
  variant === OWN_EFFORT ? undefined : variant

/** What Amp would refuse only when it runs, or pass over. */
export function checkSettings({ agentMode = "build", model: named, variant }: Partial<Settings>): void {
  if (!modes.some(({ id }) => id === agentMode))
    throw new SandboxAgentError("mode_not_supported", `Amp has no mode ${agentMode}`, {
      agent: "amp",
      modes: modes.map(({ id }) => id),
    })
  if (named !== undefined && named !== model.id)
    throw new SandboxAgentError("invalid_request", `Amp has no model ${JSON.stringify(named)}: its mode decides it`, {
      models: [model.id],
    })
  const levels = efforts[nativeMode(agentMode)]
  if (effortOf(variant) !== undefined && !levels.includes(variant ?? ""))
    throw new SandboxAgentError(
      "invalid_request",
      `Amp has no variant ${variant} in mode ${agentMode}: ${[...levels, OWN_EFFORT].join(", ")}`,
    )
}

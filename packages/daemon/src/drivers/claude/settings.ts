import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { PermissionMode } from "@sandbox-agent/schema/session"
import type { Settings } from "../../core/driver.ts"
import type { NativeModel } from "./native.ts"

/**
 * Claude Code runs in its own `default` for all modes but `plan`: so everything that has to be decided is asked, and the
 * core decides. Its own `acceptEdits` also lets `touch` and its like pass, and of its `bypassPermissions` the log would
 * not tell what was allowed (besides, it refuses to start as root). Only its `plan` knows how to write and show a plan.
 */
export const nativeMode = (mode: PermissionMode): "default" | "plan" => (mode === "plan" ? "plan" : "default")

const efforts = ["low", "medium", "high", "xhigh", "max"]

type Choice = Partial<Pick<Settings, "agentMode" | "model" | "variant">>

/** What Claude Code would pass over in silence, as far as it is known before it runs. */
export function checkSettings({ agentMode, variant }: Choice): void {
  if (agentMode !== undefined && agentMode !== "build" && agentMode !== "plan")
    throw new SandboxAgentError("mode_not_supported", `Claude Code has no mode ${agentMode}`, {
      agent: "claude",
      modes: ["build", "plan"],
    })
  if (variant !== undefined && !efforts.includes(variant))
    throw new SandboxAgentError("invalid_request", `Claude Code has no variant ${variant}`, { variants: efforts })
}

/** The same by what it says of its models. */
export function checkModel({ model, variant }: Choice, models: readonly NativeModel[], env: Environment): void {
  const named = ({ value, resolvedModel }: NativeModel) => value === (model ?? "default") || resolvedModel === model
  // A name that it was started with and does not know it lists as it is.
  const known = models.find((one) => named(one) && one.displayName !== one.value)
  if (model !== undefined && known === undefined && !isName(model, env))
    throw new SandboxAgentError("invalid_request", `Claude Code has no model ${JSON.stringify(model)}`, {
      models: models.map(({ value }) => value),
    })
  if (variant === undefined || known === undefined) return
  // Old versions tell the levels of no model.
  const levelsListed = models.some(({ supportedEffortLevels }) => supportedEffortLevels !== undefined)
  const levels = known.supportedEffortLevels ?? (levelsListed ? [] : efforts)
  if (!levels.includes(variant))
    throw new SandboxAgentError("invalid_request", `${known.displayName ?? known.value} has no variant ${variant}`, {
      variants: levels,
    })
}

type Environment = Readonly<Record<string, string | undefined>>

/** Names of Claude models that are not listed (dated ones, those of cloud providers), and names that the environment gives. */
const isName = (model: string, env: Environment): boolean =>
  /^claude-|[./]claude-|^arn:aws:bedrock:/.test(model) ||
  Object.entries(env).some(([name, value]) => /^ANTHROPIC_(\w+_)?MODEL(_OPTION)?$/.test(name) && value === model)

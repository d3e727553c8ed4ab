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

/** Refuses what Claude Code would pass over in silence. Models it does not list are its provider's to judge. */
export function checkSettings({ agentMode, model, variant }: Choice, models: readonly NativeModel[] = []): void {
  if (agentMode !== undefined && agentMode !== "build" && agentMode !== "plan")
    throw new SandboxAgentError("mode_not_supported", `Claude Code has no mode ${agentMode}`)
  if (variant === undefined) return
  const known = models.find(({ value, resolvedModel }) => value === (model ?? "default") || resolvedModel === model)
  const levels = known?.supportedEffortLevels ?? efforts
  if (!levels.includes(variant))
    throw new SandboxAgentError("invalid_request", `${known?.displayName ?? "Claude Code"} has no variant ${variant}`)
}

import type { AvailableCommand, PlanEntryPriority, SessionConfigOption } from "@agentclientprotocol/sdk"
import type { EventData } from "@sandbox-agent/schema/event"
import { PermissionModeSchema } from "@sandbox-agent/schema/session"
import { type Envelope, ours } from "../envelope.ts"
import type { Settings } from "../sources.ts"
import { configOptions } from "./config-options.ts"
import { note, type Scope, update } from "./scope.ts"

type Updated = EventData<"session.updated">

export function sessionUpdated(data: Updated, time: string, scope: Scope): Envelope[] {
  const { title, metadata, agent_mode: currentModeId, commands } = data
  const updates: Envelope[] = []
  if (title !== undefined || metadata !== undefined)
    updates.push(update(scope, { sessionUpdate: "session_info_update", title, updatedAt: time, ...ours({ metadata }) }))
  if (currentModeId !== undefined) updates.push(update(scope, { sessionUpdate: "current_mode_update", currentModeId }))
  updates.push(...settingsUpdated(data, scope))
  if (commands !== undefined) {
    const availableCommands = commands.map(command)
    updates.push(update(scope, { sessionUpdate: "available_commands_update", availableCommands }))
  }
  return updates
}

const command = ({ name, description = "", hint }: NonNullable<Updated["commands"]>[number]): AvailableCommand => ({
  name,
  description,
  input: hint ? { hint } : null,
})

/** The settings this event puts in force, within the complete list of options. */
function settingsUpdated(data: Updated, scope: Scope): Envelope[] {
  const { agent_mode: agentMode, permission_mode: permissionMode, model, variant } = data
  if (agentMode === undefined && permissionMode === undefined && model === undefined && variant === undefined) return []
  const known = scope.sources.options?.()
  if (known === undefined) return [note(scope, { settings: { agentMode, permissionMode, model, variant } })]
  const settings: Settings = {
    agentMode: agentMode ?? known.settings.agentMode,
    permissionMode: PermissionModeSchema.safeParse(permissionMode).data ?? known.settings.permissionMode,
    model: model ?? known.settings.model,
    // A variant belongs to its model: a new model starts with its default.
    variant: variant ?? (model === undefined || model === known.settings.model ? known.settings.variant : undefined),
  }
  return [optionUpdate(scope, configOptions(settings, known.catalog, known.passthrough))]
}

/** The complete list as it stands now; nothing while it is not known what there is to choose. */
export function optionsUpdate(scope: Pick<Scope, "sessionId" | "sources">): Envelope | undefined {
  const known = scope.sources.options?.()
  return known && optionUpdate(scope, configOptions(known.settings, known.catalog, known.passthrough))
}

const optionUpdate = (scope: Pick<Scope, "sessionId">, options: SessionConfigOption[]): Envelope =>
  update(scope, { sessionUpdate: "config_option_update", configOptions: options })

const priorities: readonly string[] = ["high", "medium", "low"] satisfies PlanEntryPriority[]

export function planUpdated({ entries }: EventData<"plan.updated">, scope: Scope): Envelope {
  const priorityOf = (priority: string | undefined): PlanEntryPriority =>
    priority !== undefined && priorities.includes(priority) ? (priority as PlanEntryPriority) : "medium"
  return update(scope, {
    sessionUpdate: "plan",
    entries: entries.map(({ content, status, priority }) => ({ content, status, priority: priorityOf(priority) })),
  })
}

/** ACP speaks of the context only; without it the totals are data of ours. */
export function usageUpdated(data: EventData<"usage.updated">, scope: Scope): Envelope {
  const { context_used: used, context_size: size, cost_usd: amount } = data
  const usage = {
    inputTokens: data.input_tokens,
    outputTokens: data.output_tokens,
    cachedTokens: data.cached_tokens,
    reasoningTokens: data.reasoning_tokens,
  }
  if (!isCount(used) || !isCount(size)) return note(scope, { usage: { ...usage, costUsd: amount } })
  const cost = amount === undefined ? undefined : { amount, currency: "USD" }
  return update(scope, { sessionUpdate: "usage_update", used, size, cost, ...ours({ usage }) })
}

const isCount = (value: number | undefined): value is number =>
  value !== undefined && Number.isSafeInteger(value) && value >= 0

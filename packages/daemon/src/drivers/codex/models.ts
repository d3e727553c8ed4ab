import type { Model } from "@sandbox-agent/schema/agent"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { NativeModel } from "./native.ts"

/** How hard the model thinks, and how fast it is served. */
export interface Choice {
  effort: string
  tier: string | null
}

/**
 * A variant is an effort, alone or with a service tier: `high`, `high-fast`. Alone it means the standard tier, which is
 * what Codex asks for when nothing is chosen.
 */
export function choicesOf({ supportedReasoningEfforts = [], serviceTiers = [] }: NativeModel): Map<string, Choice> {
  const efforts = supportedReasoningEfforts.map(({ reasoningEffort }) => reasoningEffort)
  const plain = efforts.map((effort) => [effort, { effort, tier: null }] as const)
  const tiered = serviceTiers.flatMap(({ id, name }) =>
    efforts.map((effort) => [`${effort}-${name.toLowerCase()}`, { effort, tier: id }] as const),
  )
  return new Map<string, Choice>([...plain, ...tiered])
}

export function choiceOf(models: readonly NativeModel[], model: string | undefined, variant: string): Choice {
  const known = models.find(({ id }) => id === model)
  // One that is not listed is its provider's to judge: whatever some model can do.
  const found = (known === undefined ? models : [known]).flatMap((one) => choicesOf(one).get(variant) ?? [])[0]
  if (found !== undefined) return found
  const name = known?.displayName ?? "Codex"
  throw new SandboxAgentError("invalid_request", `${name} has no variant ${variant}`)
}

/** Codex would take any name, and send it to a provider that does not know it. */
export function assertModel(models: readonly NativeModel[], model: string | undefined, named: readonly string[]): void {
  if (model === undefined || models.some(({ id }) => id === model) || named.includes(model)) return
  const ids = models.filter(({ hidden }) => !hidden).map(({ id }) => id)
  throw new SandboxAgentError("invalid_request", `Codex has no model ${JSON.stringify(model)}`, { models: ids })
}

export const listedModels = (models: readonly NativeModel[]): Model[] =>
  models
    .filter(({ hidden }) => !hidden)
    .map((model) => ({
      id: model.id,
      name: model.displayName ?? model.id,
      variants: [...choicesOf(model).keys()],
      ...(model.defaultReasoningEffort && { defaultVariant: model.defaultReasoningEffort }),
    }))

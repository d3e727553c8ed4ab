import type { InitialChoices, Settings } from "../../core/driver.ts"
import type { Value } from "./initial.ts"
import type { Options } from "./options.ts"

/** A session that goes on: what it began with, where that is known, what was chosen in it since, and what is wanted of it now. */
export interface GoingOn {
  begun: InitialChoices | undefined
  chosen: Readonly<Record<string, Value>>
  wanted: Partial<Pick<Settings, "agentMode" | "model" | "variant">>
}

/** An agent need not say again what it offers in a session. Whether it has left out anything that matters. */
export function isMissed(options: Options, { begun, chosen, wanted }: GoingOn): boolean {
  const { agentMode = "build", model, variant } = wanted
  if (model !== undefined && options.model === undefined) return true
  if (variant !== undefined && options.variant === undefined) return true
  const hasMode = begun === undefined || begun.mode !== undefined || agentMode !== "build"
  if (hasMode && options.mode === undefined) return true
  return !options.isListed && (begun === undefined || hasAny(begun.options) || hasAny(chosen))
}

const hasAny = (values: object): boolean => Object.keys(values).length > 0

import type { SessionConfigOption, SessionConfigSelectOption, SessionModeState } from "@agentclientprotocol/sdk"
import type { Catalog, PassthroughSettings } from "../../../../core/driver.ts"
import { ours } from "../envelope.ts"
import type { Settings } from "../sources.ts"

/** The settings of a session that ACP clients see as options, under the names they change them by. */
export const configIds = ["mode", "model", "variant", "permission_mode"] as const
export type ConfigId = (typeof configIds)[number]

/** Says "what the agent takes by itself" where a value is asked for and none was chosen. */
export const DEFAULT = "default"

const permissionModes: SessionConfigSelectOption[] = [
  { value: "default", name: "Ask", description: "Asks before it changes files or runs commands" },
  { value: "acceptEdits", name: "Accept edits", description: "Changes files, asks for the rest" },
  { value: "plan", name: "Read only", description: "Cannot write" },
  { value: "bypass", name: "Bypass", description: "Never asks" },
]

/**
 * Always the complete list. What the agent has no choice of is left out. An agent that speaks ACP itself has its own
 * words for model and variant, told as they are under our ids, and behind ours the options that only it knows.
 */
export function configOptions(
  settings: Settings,
  catalog: Catalog,
  passthrough?: PassthroughSettings,
): SessionConfigOption[] {
  if (passthrough === undefined) return ourOptions(settings, catalog)
  const ours = new Map(ourOptions(settings, catalog).map((option) => [option.id, option]))
  if (passthrough.model) ours.set("model", renamed(passthrough.model, "model", settings.model))
  // The agent tells the variants of the model that is chosen in it.
  const sameModel = settings.model === undefined || settings.model === currentOf(passthrough.model)
  if (passthrough.variant && sameModel) ours.set("variant", renamed(passthrough.variant, "variant", settings.variant))
  const others = passthrough.others.map((option) =>
    renamed(option, idForClients(typeof option.id === "string" ? option.id : "")),
  )
  return [...configIds.flatMap((id) => ours.get(id) ?? []), ...others]
}

const currentOf = (option: object | undefined): unknown =>
  option !== undefined && "currentValue" in option ? option.currentValue : undefined

const renamed = (option: object, id: string, chosen?: string): SessionConfigOption =>
  ({ ...option, id, ...(chosen !== undefined && { currentValue: chosen }) }) as SessionConfigOption

const taken = new RegExp(`^(agent_)*(${configIds.join("|")})$`)

/** An option of the agent's own whose id is one of ours gets another, of which the agent never hears. */
const idForClients = (id: string): string => (taken.test(id) ? `agent_${id}` : id)
export const idForAgent = (id: string): string => (taken.test(id) ? id.replace(/^agent_/, "") : id)

function ourOptions(settings: Settings, catalog: Catalog): SessionConfigOption[] {
  const { agentMode, permissionMode, variant } = settings
  const model = settings.model ?? catalog.defaultModel
  const known = catalog.models.find(({ id }) => id === model)
  const modes = modeState(settings, catalog).availableModes.map(({ id, ...mode }) => ({ value: id, ...mode }))
  const models = catalog.models.map(({ id, name }) => ({ value: id, name }))
  const variants = (known?.variants ?? []).map((value) => ({ value, name: value }))
  const options = [select("mode", "Mode", "mode", agentMode, modes)]
  if (models.length > 0 || model !== undefined) options.push(select("model", "Model", "model", model, models))
  if (variants.length > 0 || variant !== undefined)
    options.push(select("variant", "Variant", "thought_level", variant ?? known?.defaultVariant, variants))
  // Names of categories that do not begin with `_` belong to ACP.
  options.push(select("permission_mode", "Permissions", "_permission_mode", permissionMode, permissionModes))
  return options
}

function select(
  id: ConfigId,
  name: string,
  category: string,
  current: string | undefined,
  options: SessionConfigSelectOption[],
): SessionConfigOption {
  const currentValue = current ?? DEFAULT
  // A value the agent does not list is still the one in force.
  const listed = options.some(({ value }) => value === currentValue)
  const missing = { value: currentValue, name: current ?? "Default" }
  return { id, name, category, type: "select", currentValue, options: listed ? options : [missing, ...options] }
}

/** `build` is always accepted and means the agent's default, also where the agent has no mode of that name. */
export function modeState({ agentMode }: Pick<Settings, "agentMode">, { modes }: Catalog): SessionModeState {
  const available: SessionModeState["availableModes"] = modes.map(({ id, name, description, unverified }) => ({
    ...{ id, name, description },
    ...(unverified && ours({ unverified })),
  }))
  if (!available.some(({ id }) => id === agentMode))
    available.unshift({ id: agentMode, name: agentMode === "build" ? "Build" : agentMode, description: undefined })
  return { currentModeId: agentMode, availableModes: available }
}

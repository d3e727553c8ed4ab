import type { SessionConfigOption, SessionInfo, SessionModeState } from "@agentclientprotocol/sdk"
import {
  type PatchSession,
  PatchSessionSchema,
  PermissionModeSchema,
  type Session,
} from "@sandbox-agent/schema/session"
import type { Catalog, PassthroughSettings } from "../../../core/driver.ts"
import { isRecord, NAMESPACE, ours } from "./envelope.ts"
import { checked, invalid } from "./invalid.ts"
import type { Settings } from "./sources.ts"
import { configIds, configOptions, DEFAULT, idForAgent, modeState } from "./v1/config-options.ts"

/** What `session/new`, `load` and `resume` tell of a session. `models` is for clients older than config options. */
export interface SessionState {
  modes: SessionModeState
  models?: { currentModelId: string; availableModels: { modelId: string; name: string }[] }
  configOptions: SessionConfigOption[]
}

export function sessionState(settings: Settings, catalog: Catalog, passthrough?: PassthroughSettings): SessionState {
  const current = settings.model ?? catalog.defaultModel
  const listed = catalog.models.map(({ id, name }) => ({ modelId: id, name }))
  const known = current === undefined || listed.some(({ modelId }) => modelId === current)
  const availableModels = known ? listed : [{ modelId: current, name: current }, ...listed]
  return {
    modes: modeState(settings, catalog),
    ...(current !== undefined && { models: { availableModels, ...passthrough?.models, currentModelId: current } }),
    configOptions: configOptions(settings, catalog, passthrough),
  }
}

/** The answer of `_sandboxagent/session/list_models`. */
export function modelList(settings: Settings, { models, defaultModel }: Catalog): object {
  const availableModels = models.map(({ id, name, variants, defaultVariant }) => ({
    modelId: id,
    name,
    variants,
    defaultVariant,
  }))
  return { availableModels, currentModelId: settings.model ?? defaultModel, defaultModel }
}

/** One entry of `session/list`: the client's own metadata, and what the daemon knows over it. */
export function sessionInfo(session: Session): SessionInfo {
  const { id: sessionId, directory: cwd, title, updatedAt, createdAt, agent, model, metadata } = session
  const { permissionMode, variant, agentMode: mode } = session
  const ended = session.status === "ended"
  const eventCount = session.lastSequence
  // Over what the client once said of the same: that was the beginning.
  const facts = { title, mode, permissionMode, variant, agent, createdAt, updatedAt, ended, eventCount, model }
  const known = Object.entries(facts).filter(([, value]) => value !== undefined)
  return { sessionId, cwd, title, updatedAt, ...ours({ ...metadata, ...Object.fromEntries(known) }) }
}

/** `session/set_config_option` of an option that only the agent knows; undefined when it is one of our settings. */
export function passthroughChange(
  params: unknown,
  passthrough: PassthroughSettings | undefined,
): { option: string; value: string | boolean } | undefined {
  const { configId, value } = isRecord(params) ? params : {}
  if (passthrough === undefined || typeof configId !== "string" || configIds.some((id) => id === configId))
    return undefined
  const option = idForAgent(configId)
  if (!passthrough.others.some(({ id }) => id === option))
    return invalid(`configId: ${JSON.stringify(configId)} is no option of this session`)
  if (typeof value !== "string" && typeof value !== "boolean")
    return invalid("value: the id of a value, or true or false is expected")
  return { option, value }
}

/** `session/set_config_option`. Whether the agent has such a mode or model only the core can tell. */
export function configChange(params: unknown, settings: Settings): PatchSession {
  const { configId, value } = isRecord(params) ? params : {}
  if (typeof value !== "string" || value === "") return invalid("value: the id of a value is expected")
  switch (configId) {
    case "mode":
      return { agentMode: value }
    case "model":
      return value === DEFAULT && settings.model === undefined ? {} : { model: value }
    case "variant":
      return value === DEFAULT && settings.variant === undefined ? {} : { variant: value }
    case "permission_mode": {
      const permissionMode = PermissionModeSchema.safeParse(value).data
      const known = PermissionModeSchema.options.join(", ")
      return permissionMode === undefined
        ? invalid(`value: ${JSON.stringify(value)} is not one of ${known}`)
        : { permissionMode }
    }
    default:
      return invalid(`configId: ${JSON.stringify(configId)} is not one of ${configIds.join(", ")}`)
  }
}

/** The permission mode that a config option is set to, where that is what is set. */
export const permissionModeIn = (params: unknown) =>
  isRecord(params) && params.configId === "permission_mode"
    ? PermissionModeSchema.safeParse(params.value).data
    : undefined

/** `session/set_mode`. */
export const modeChange = (params: unknown): PatchSession => ({ agentMode: text(params, "modeId") })

/** `session/set_model`, of clients older than config options. */
export const modelChange = (params: unknown): PatchSession => ({ model: text(params, "modelId") })

/** Keys of our metadata that change the session as well, and the settings they are. */
const settingNames = {
  title: "title",
  model: "model",
  mode: "agentMode",
  variant: "variant",
  permissionMode: "permissionMode",
} as const satisfies Record<string, keyof PatchSession>

/** `_sandboxagent/session/set_metadata`: the given keys over those that are there. */
export function metadataChange(params: unknown, before: Session["metadata"]): PatchSession {
  const { metadata, _meta: meta } = isRecord(params) ? params : {}
  const given = metadata ?? (isRecord(meta) ? meta[NAMESPACE] : undefined)
  if (!isRecord(given)) return invalid(`metadata: an object is expected, here or in _meta["${NAMESPACE}"]`)
  const change: Record<string, unknown> = { metadata: { ...before, ...given } }
  for (const [key, name] of Object.entries(settingNames)) change[name] = given[key] ?? undefined
  return checked(PatchSessionSchema, change, "")
}

function text(params: unknown, name: string): string {
  const value = isRecord(params) ? params[name] : undefined
  return typeof value === "string" && value !== "" ? value : invalid(`${name}: a non-empty string is expected`)
}

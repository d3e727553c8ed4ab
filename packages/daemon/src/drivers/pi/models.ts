import type { Model } from "@sandbox-agent/schema/agent"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Settings } from "../../core/driver.ts"
import type { SessionSink } from "../../core/driver-sink.ts"
import { list, record } from "../shared/json.ts"
import type { ThinkingLevel } from "./native.gen.ts"
import type { NativeModel, State } from "./native.ts"
import type { Started } from "./process.ts"

/** How hard a model may think, from the least on. */
export const levels: readonly ThinkingLevel[] = ["off", "minimal", "low", "medium", "high", "xhigh", "max"]
/** Only models that say so have these. */
const named: readonly ThinkingLevel[] = ["xhigh", "max"]

export const isLevel = (variant: string): variant is ThinkingLevel => levels.some((level) => level === variant)

/** The same id may be of several providers. */
export const idOf = ({ provider, id }: NativeModel): string => `${provider}/${id}`

export function variantsOf({ reasoning, thinkingLevelMap: map = {} }: NativeModel): string[] {
  if (!reasoning) return []
  return levels.filter((level) => (named.includes(level) ? typeof map[level] === "string" : map[level] !== null))
}

/** An id may have slashes of its own. */
export function splitModel(model: string): { provider: string; modelId: string } {
  const at = model.indexOf("/")
  return { provider: model.slice(0, at), modelId: model.slice(at + 1) }
}

/** Those that this machine has a login for. */
export async function availableModels({ command }: Pick<Started, "command">): Promise<NativeModel[]> {
  const { models } = record(await command({ type: "get_available_models" }))
  return list(models).map((model) => record(model) as unknown as NativeModel)
}

/** Whether Pi has a model at all; without one it invents a name. */
export const hasModel = ({ model }: State): boolean => model !== undefined && model.provider !== "unknown"

export const listed = (models: readonly NativeModel[], defaultVariant?: string): Model[] =>
  models.map((model) => {
    const variants = variantsOf(model)
    const usual = variants.includes(defaultVariant ?? "") ? defaultVariant : undefined
    return { id: idOf(model), name: model.name ?? model.id, variants, ...(usual && { defaultVariant: usual }) }
  })

/** The model of a session, and how hard it thinks. */
export class Models {
  #current: NativeModel | undefined
  #level: string | undefined

  constructor(private readonly sink: Pick<SessionSink, "session">) {}

  get contextSize(): number | undefined {
    return this.#current?.contextWindow
  }

  opened({ model, thinkingLevel }: State): void {
    this.#current = model
    this.#level = thinkingLevel
  }

  chose(model: unknown): void {
    this.#current = record(model) as unknown as NativeModel
  }

  /** It comes back as an event. */
  choosesLevel(level: string): void {
    this.#level = level
  }

  /** Changed by an extension, or with its model. */
  levelReported(level: string | undefined): void {
    if (level === undefined || level === this.#level) return
    this.#level = level
    if (this.#current?.reasoning) this.sink.session({ variant: level })
  }

  /** What Pi would take for a model that is not there, or change in silence. */
  check({ model, variant }: Partial<Settings>, models: readonly NativeModel[]): void {
    const known = model === undefined ? this.#current : models.find((one) => idOf(one) === model)
    if (model !== undefined && known === undefined)
      throw new SandboxAgentError("invalid_request", `Pi has no model ${JSON.stringify(model)}`, {
        models: models.map(idOf),
      })
    if (variant === undefined || known === undefined) return
    const variants = variantsOf(known)
    if (!variants.includes(variant))
      throw new SandboxAgentError("invalid_request", `${idOf(known)} has no variant ${variant}`, { variants })
  }
}

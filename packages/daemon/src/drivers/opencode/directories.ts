import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Catalog } from "../../core/driver.ts"
import type { SessionPatch } from "../../core/driver-sink.ts"
import { AnswerCache } from "../shared/answer-cache.ts"
import type { Answer, Client } from "./client.ts"
import type { Agent, Command } from "./native.ts"

type Providers = Answer<"GET /config/providers">

/** What OpenCode has in one directory: its agents, models and commands. */
export interface Directory {
  readonly agents: readonly Agent[]
  readonly commands: readonly Command[]
  readonly providers: Providers
  /** The model its configuration names. */
  readonly model?: string
}

/** Read once for each directory, as OpenCode itself does. */
export class Directories {
  readonly #known = new AnswerCache<Directory>()

  constructor(private readonly client: Client) {}

  get(directory: string): Promise<Directory> {
    return this.#known.get(directory, () => this.#read(directory))
  }

  async #read(directory: string): Promise<Directory> {
    const params = { directory }
    const [agents, commands, providers, { model }] = await Promise.all([
      this.client.call("GET /agent", { params }),
      this.client.call("GET /command", { params }),
      this.client.call("GET /config/providers", { params }),
      this.client.call("GET /config", { params }),
    ])
    return { agents, commands, providers, ...(model !== undefined && { model }) }
  }
}

const isMode = ({ mode, hidden }: Agent): boolean => mode !== "subagent" && hidden !== true

export function catalogOf({ agents, providers, model }: Directory): Catalog {
  const modes = agents.filter(isMode).map(({ name, description }) => ({
    id: name,
    name: name.charAt(0).toUpperCase() + name.slice(1),
    ...(description !== undefined && { description }),
  }))
  const models = providers.providers.flatMap((provider) =>
    Object.values(provider.models).map(({ id, name, variants }) => ({
      id: `${provider.id}/${id}`,
      name,
      variants: Object.keys(variants ?? {}),
    })),
  )
  const [first] = providers.providers
  const fallback = first === undefined ? undefined : `${first.id}/${providers.default[first.id]}`
  const defaultModel = model ?? fallback
  return { modes, models, ...(models.some(({ id }) => id === defaultModel) && { defaultModel }) }
}

export const commandsOf = ({ commands }: Directory): NonNullable<SessionPatch["commands"]> => [
  ...commands.map(({ name, description, hints }) => ({
    name,
    ...(description !== undefined && { description }),
    ...(hints?.length > 0 && { hint: hints.join(" ") }),
  })),
  { name: "compact", description: "summarize the conversation to make room" },
]

/** `provider/model` apart; the name of a model may have slashes of its own. */
export function modelRef(model: string): { providerID: string; modelID: string } {
  const [providerID = "", ...rest] = model.split("/")
  return { providerID, modelID: rest.join("/") }
}

/** The size of a model's context, where OpenCode knows it. */
export function contextSize({ providers }: Directory, providerID: string, modelID: string): number | undefined {
  const size = providers.providers.find(({ id }) => id === providerID)?.models[modelID]?.limit.context
  return size === undefined || size === 0 ? undefined : size
}

/** Refuses what OpenCode would take and then fail on, or pass over in silence. */
export function checkChoice(
  directory: Directory,
  choice: { agentMode?: string; model?: string; variant?: string },
): void {
  const { agentMode, model, variant } = choice
  const { modes, models, defaultModel } = catalogOf(directory)
  if (agentMode !== undefined && agentMode !== "build" && !modes.some(({ id }) => id === agentMode))
    throw new SandboxAgentError("mode_not_supported", `OpenCode has no mode ${agentMode} here`, {
      modes: modes.map(({ id }) => id),
    })
  const chosen = models.find(({ id }) => id === (model ?? defaultModel))
  if (model !== undefined && chosen === undefined)
    throw new SandboxAgentError("invalid_request", `OpenCode has no model ${model}; write it as provider/model`)
  if (variant !== undefined && !chosen?.variants.includes(variant))
    throw new SandboxAgentError("invalid_request", `${chosen?.name ?? "OpenCode"} has no variant ${variant}`)
}

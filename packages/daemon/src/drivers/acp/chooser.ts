import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { AcpTraits } from "@sandbox-agent/schema/registry"
import { NotSupported, type SessionPatch, type Settings } from "../../core/driver.ts"
import { type Json, text } from "./json.ts"
import { Options, type Select, takes } from "./options.ts"

type Ask = (method: string, params: object) => Promise<Json>

/** Chooses in the agent what our settings say, and says in our words what the agent chose. */
export class Chooser {
  readonly options: Options
  /** The mode the agent began with: what `build` means where nothing better is known. */
  #initial: string | undefined
  #settings: Pick<Settings, "agentMode" | "permissionMode">
  /** Being told: what the agent says of its mode meanwhile is not its last word. */
  #applying = false
  #planned = false

  constructor(
    private readonly traits: AcpTraits,
    settings: Settings,
  ) {
    this.options = new Options(traits)
    this.#settings = { agentMode: settings.agentMode, permissionMode: settings.permissionMode }
  }

  get permissionMode(): Settings["permissionMode"] {
    return this.#settings.permissionMode
  }

  opened(result: Json): void {
    this.options.told(result)
    this.#initial = this.options.mode?.current
  }

  async apply(settings: Partial<Settings>, sessionId: string, ask: Ask): Promise<void> {
    this.#applying = true
    await this.#apply(settings, sessionId, ask).finally(() => {
      this.#applying = false
      this.#planned = this.#inPlan
    })
  }

  /** Only what differs is told to the agent. */
  async #apply(settings: Partial<Settings>, sessionId: string, ask: Ask): Promise<void> {
    const { agentMode = this.#settings.agentMode, permissionMode = this.#settings.permissionMode } = settings
    this.#assertMode(agentMode)
    if (settings.model !== undefined) await this.#choose(this.options.model, "model", settings.model, sessionId, ask)
    if (settings.variant !== undefined)
      await this.#choose(this.options.variant, "variant", settings.variant, sessionId, ask)
    this.#settings = { agentMode, permissionMode }
    const { modeOption } = this.traits
    if (modeOption !== undefined) {
      const wanted = agentMode === "build" ? this.options.agentMode?.values[0]?.id : agentMode
      if (wanted !== undefined) await this.#choose(this.options.agentMode, "mode", wanted, sessionId, ask)
    }
    const wanted = this.#nativeMode()
    if (wanted !== undefined) await this.#choose(this.options.mode, "mode", wanted, sessionId, ask)
  }

  /** An option that is none of our settings. */
  async chooseOwn(id: string, value: string | boolean, sessionId: string, ask: Ask): Promise<void> {
    const { others } = this.options.own
    const option = others.find((one) => text(one.id) === id)
    const known = others.map((one) => text(one.id)).join(", ")
    if (option === undefined)
      throw new SandboxAgentError("invalid_request", `no option ${JSON.stringify(id)}: ${known || "it has none"}`)
    if (!takes(option, value))
      throw new SandboxAgentError("invalid_request", `option ${id} has no value ${JSON.stringify(value)}`)
    if (option.currentValue === value) return
    const type = option.type === "boolean" ? { type: "boolean" } : {}
    this.options.told(await ask("session/set_config_option", { sessionId, configId: id, value, ...type }))
  }

  /** The mode is the agent's; what it means for ours. */
  modeChanged(id: string): SessionPatch {
    this.options.modeIs(id)
    return this.#modePatch()
  }

  optionsChanged(update: Json): SessionPatch {
    this.options.told(update)
    const { model, variant } = this.options
    return {
      ...this.#modePatch(),
      ...(model?.current !== undefined && { model: model.current }),
      ...(variant?.current !== undefined && { variant: variant.current }),
    }
  }

  /** Which of the agent's own modes permission mode and agent mode come to; plan is a fence, so it comes first. */
  #nativeMode(): string | undefined {
    const { modes = {}, modeOption } = this.traits
    const offered = this.options.mode?.values.map(({ id }) => id) ?? []
    const { agentMode, permissionMode } = this.#settings
    if (permissionMode === "plan" && modes.plan !== undefined && offered.includes(modes.plan)) return modes.plan
    if (permissionMode === "bypass" && modes.bypass !== undefined && offered.includes(modes.bypass)) return modes.bypass
    if (modeOption === undefined && agentMode !== "build") return agentMode
    const build = modes.ask ?? this.#initial
    return build !== undefined && offered.includes(build) ? build : undefined
  }

  get #inPlan(): boolean {
    const { plan } = this.traits.modes ?? {}
    return plan !== undefined && this.options.mode?.current === plan
  }

  #modePatch(): SessionPatch {
    if (this.#applying) return {}
    const { modeOption } = this.traits
    const now = this.options.mode?.current
    const patch: SessionPatch = {}
    // It has entered or left its plan by itself, as after an approved one.
    if (this.#inPlan !== this.#planned) patch.permissionMode = this.#inPlan ? "plan" : "default"
    this.#planned = this.#inPlan
    const chosen = modeOption === undefined ? now : this.options.agentMode?.current
    const listed = this.options.modes.some(({ id }) => id === chosen)
    patch.agentMode = chosen !== undefined && listed ? chosen : "build"
    this.#settings = {
      agentMode: patch.agentMode,
      permissionMode: patch.permissionMode ?? this.#settings.permissionMode,
    }
    return patch
  }

  #assertMode(mode: string): void {
    if (mode === "build" || this.options.modes.some(({ id }) => id === mode)) return
    const modes = this.options.modes.map(({ id }) => id)
    throw new SandboxAgentError("mode_not_supported", `no mode ${JSON.stringify(mode)}: ${modes.join(", ")}`, { modes })
  }

  async #choose(select: Select | undefined, what: string, value: string, sessionId: string, ask: Ask): Promise<void> {
    if (select === undefined) throw new NotSupported(`the agent offers no choice of its ${what}`)
    if (!select.values.some(({ id }) => id === value))
      throw new SandboxAgentError(
        "invalid_request",
        `no ${what} ${JSON.stringify(value)}: ${select.values.map(({ id }) => id).join(", ")}`,
      )
    if (select.current === value) return
    if (select.id !== undefined)
      return this.options.told(await ask("session/set_config_option", { sessionId, configId: select.id, value }))
    if (what === "model") {
      await ask("session/set_model", { sessionId, modelId: value })
      return this.options.modelIs(value)
    }
    await ask("session/set_mode", { sessionId, modeId: value })
    this.options.modeIs(value)
  }
}

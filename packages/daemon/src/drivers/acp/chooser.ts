import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { AcpTraits } from "@sandbox-agent/schema/registry"
import { type InitialChoices, NotSupported, type Settings } from "../../core/driver.ts"
import type { SessionPatch } from "../../core/driver-sink.ts"
import { type Json, text } from "../shared/json.ts"
import { initialOf, NotPutBack } from "./initial.ts"
import { Options, type Select } from "./options.ts"
import { type Ask, PassthroughChoices, unverified } from "./passthrough-choices.ts"
import { RpcError } from "./peer.ts"
import { type GoingOn, isMissed } from "./unsaid.ts"

/** Where it is not as it has to be to ask for what it is to ask. */
export interface Stray {
  what: "mode" | "option"
  /** How it came there, and where it is. */
  went: string
  place: string
}

/** Chooses in the agent what our settings say, and says in our words what the agent chose. */
export class Chooser {
  readonly options: Options
  readonly passthrough: PassthroughChoices
  #settings: Pick<Settings, "agentMode" | "permissionMode">
  /** Changes under way: what the agent reports of its mode meanwhile is not final. */
  #applying = 0
  #planned = false
  /** What goes on is not yet where it belongs. */
  #isReopened = false

  constructor(
    private readonly traits: AcpTraits,
    settings: Settings,
    /** What the agent says of itself in a new session. */
    private readonly learn: () => Promise<Json>,
  ) {
    this.options = new Options(traits)
    this.passthrough = new PassthroughChoices(this.options)
    this.#settings = { agentMode: settings.agentMode, permissionMode: settings.permissionMode }
  }

  get permissionMode(): Settings["permissionMode"] {
    return this.#settings.permissionMode
  }

  get agentMode(): string {
    return this.#settings.agentMode
  }

  /** What the agent began with: its mode is what `build` means where nothing better is known. */
  get initial(): InitialChoices | undefined {
    return this.passthrough.initial
  }

  /** `begun`: what it began with where that is known. An old one may stand in what was chosen under `bypass`. */
  async opened(
    result: Json,
    begun: "new" | InitialChoices | undefined,
    { chosen = {}, wanted = {} }: Partial<Pick<GoingOn, "chosen" | "wanted">> = {},
  ): Promise<void> {
    this.options.update(result)
    const { passthrough } = this
    this.#isReopened = begun !== "new"
    if (begun !== "new" && this.permissionMode !== "bypass") await this.#complete({ begun, chosen, wanted })
    // Nobody is asked anyway: where it cannot be known, it goes on as it is.
    else if (begun !== "new") await this.#complete({ begun: { options: {} }, chosen, wanted }).catch(() => undefined)
    // One choice may have changed others.
    const isUnsafe = begun === undefined || Object.keys(chosen).some((id) => !passthrough.isVouchedFor(id))
    passthrough.isUnknown = begun !== "new" && isUnsafe
    const now = initialOf(this.options)
    if (begun === "new") this.passthrough.initial = now
    // Of what has come since nothing was ever chosen.
    else if (begun !== undefined)
      this.passthrough.initial = { ...now, ...begun, options: { ...now.options, ...begun.options } }
  }

  /** Sends only what differs to the agent. What is refused leaves it as it was. */
  async apply(settings: Partial<Settings>, sessionId: string, ask: Ask): Promise<void> {
    const before = this.#settings
    const { model, variant, agentMode } = this.options
    this.#applying += 1
    try {
      await this.#apply(settings, sessionId, ask)
    } catch (error) {
      this.#settings = before
      // The session ends.
      if (error instanceof NotPutBack) throw error
      await this.#back("model", model, sessionId, ask)
      await this.#back("variant", variant, sessionId, ask)
      if (this.traits.modeOption !== undefined) await this.#back("agentMode", agentMode, sessionId, ask)
      throw error
    } finally {
      this.#applying -= 1
      this.#isReopened = false
      this.#planned = this.#inPlan
    }
  }

  async #apply(settings: Partial<Settings>, sessionId: string, ask: Ask): Promise<void> {
    const { permissionMode = this.#settings.permissionMode } = settings
    const leavesBypass = this.permissionMode === "bypass" && permissionMode !== "bypass"
    const { initial: begun } = this
    if (leavesBypass) await this.#complete({ begun, chosen: this.passthrough.chosen, wanted: {} }, leavesBypass)
    const kept = this.refusal(this.#settings.agentMode, permissionMode) === undefined
    // A mode that only `bypass` allowed ends with it.
    const { agentMode = kept ? this.#settings.agentMode : "build" } = settings
    const refused = this.refusal(agentMode, permissionMode)
    if (refused !== undefined) throw refused
    if (permissionMode !== "bypass") this.passthrough.initial ??= await this.#begun(leavesBypass)
    const { model, variant } = settings
    const change = permissionMode === "bypass" || leavesBypass ? ask : this.passthrough.following(ask)
    if (model !== undefined) await this.#choose(this.options.model, "model", model, sessionId, change)
    if (variant !== undefined) await this.#choose(this.options.variant, "variant", variant, sessionId, change)
    this.#settings = { agentMode, permissionMode }
    if (this.traits.modeOption !== undefined) {
      const wanted = agentMode === "build" ? this.options.agentMode?.values[0]?.id : agentMode
      if (wanted !== undefined) await this.#choose(this.options.agentMode, "mode", wanted, sessionId, change)
    }
    const wanted = this.#nativeMode()
    if (wanted === undefined) this.#assertStands()
    else
      await this.#choose(this.options.mode, "mode", wanted, sessionId, change).catch((error: unknown) => {
        const mayAskLess = this.#isReopened && permissionMode !== "bypass" && this.options.mode?.current !== this.#build
        if (!(leavesBypass || mayAskLess) || !(error instanceof RpcError)) throw error
        throw new NotPutBack(`it does not go into its mode ${wanted}: ${error.message}`, { cause: error })
      })
    if (permissionMode !== "bypass") await this.passthrough.restore(sessionId, ask, leavesBypass)
    this.passthrough.rememberNew()
  }

  /** Why this agent mode cannot be taken in this permission mode. */
  refusal(mode: string, permissionMode: Settings["permissionMode"]): SandboxAgentError | undefined {
    if (mode === "build") return undefined
    const listed = this.options.modes.find(({ id }) => id === mode)
    if (listed?.unverified && permissionMode !== "bypass")
      return unverified(`mode ${JSON.stringify(mode)}`, "modes.agent")
    if (listed !== undefined) return undefined
    const modes = this.options.modes.map(({ id }) => id)
    return new SandboxAgentError("mode_not_supported", `no mode ${JSON.stringify(mode)}: ${modes.join(", ")}`, {
      modes,
    })
  }

  /** The mode is the agent's; what it means for ours. */
  modeChanged(id: string): SessionPatch {
    this.options.modeIs(id)
    return this.#report()
  }

  optionsChanged(update: Json): SessionPatch {
    this.options.update(update)
    if (this.#applying === 0) this.passthrough.rememberNew()
    const { model, variant } = this.options
    return {
      ...this.#report(),
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
    const build = this.#build
    return build !== undefined && offered.includes(build) ? build : undefined
  }

  get #build(): string | undefined {
    return this.traits.modes?.ask ?? this.initial?.mode
  }

  /** What the agent has left out of a session that goes on, where it matters: outside `bypass`, or because it is wanted. */
  async #complete(session: GoingOn, leavesBypass = false): Promise<void> {
    const { ask } = this.traits.modes ?? {}
    // Of one that is described it is known.
    const begun = session.begun ?? (ask === undefined ? undefined : { mode: ask, options: {} })
    if (!isMissed(this.options, { ...session, begun })) return
    const offer = await this.#learned(leavesBypass)
    const chosen = Object.entries(session.begun?.options ?? {}).filter(([id]) => id in session.chosen)
    this.options.complete(offer, Object.fromEntries(chosen))
  }

  async #learned(leavesBypass: boolean): Promise<Json> {
    try {
      return await this.learn()
    } catch (error) {
      // Told of an option: it says nothing of what the agent remembers.
      const { detail, context } = SandboxAgentError.is(error) ? error : { detail: String(error), context: {} }
      const words = `what the agent begins with is not known: ${detail}`
      if (leavesBypass) throw new NotPutBack(words)
      throw new SandboxAgentError("unavailable", words, { ...context, option: "permissionMode" })
    }
  }

  /** Of an old session nobody kept it for: the agent is asked what a new one begins with, where that matters. */
  async #begun(leavesBypass: boolean): Promise<InitialChoices> {
    const { ask } = this.traits.modes ?? {}
    const { mode, unvouched } = this.options
    const isKnown = ask !== undefined || (mode?.values.length ?? 0) < 2
    if (isKnown && unvouched.length === 0) return initialOf(this.options)
    const offer = new Options(this.traits)
    offer.update(await this.#learned(leavesBypass))
    const begun = initialOf(offer)
    const unknown = unvouched.find(({ id }) => !(String(id) in begun.options))
    if (unknown !== undefined) throw new NotPutBack(`nobody knows what option ${String(unknown.id)} was`)
    return begun
  }

  /** With no mode to choose it must not be in one of which nobody knows whether it asks. */
  #assertStands(): void {
    const { ask } = this.traits.modes ?? {}
    const { values = [], current } = this.options.mode ?? {}
    if (values.length === 0 || this.permissionMode === "bypass") return
    const offered = values.map(({ id }) => id).join(", ")
    // Of another version than the one that was described.
    if (ask !== undefined)
      throw new SandboxAgentError("unavailable", `the agent has no mode ${ask}, in which it asks: ${offered}`)
    const { mode } = this.initial ?? {}
    if (current !== mode) throw new NotPutBack(`the agent no longer has its mode ${mode}: ${offered}`)
  }

  get #inPlan(): boolean {
    const { plan } = this.traits.modes ?? {}
    return plan !== undefined && this.options.mode?.current === plan
  }

  #report(): SessionPatch {
    if (this.#applying > 0) return {}
    const { modeOption } = this.traits
    const now = this.options.mode?.current
    const patch: SessionPatch = {}
    // It has entered or left its plan by itself, as after an approved one.
    if (this.#inPlan !== this.#planned) patch.permissionMode = this.#inPlan ? "plan" : "default"
    this.#planned = this.#inPlan
    const permissionMode = patch.permissionMode ?? this.#settings.permissionMode
    const chosen = (modeOption === undefined ? now : this.options.agentMode?.current) ?? "build"
    patch.agentMode = this.refusal(chosen, permissionMode) === undefined ? chosen : "build"
    this.#settings = { agentMode: patch.agentMode, permissionMode }
    return patch
  }

  /** The mode or the option with which the agent may no longer ask for what it is to ask. */
  stray(): Stray | undefined {
    if (this.#applying > 0 || this.permissionMode === "bypass") return undefined
    const [now, due] = [this.options.mode?.current, this.#nativeMode()]
    if (now !== undefined && due !== undefined && now !== due)
      return { what: "mode", went: `went into its mode ${now}`, place: `in its mode ${now}` }
    const option = this.passthrough.stray()
    if (option === undefined) return undefined
    const [id, value] = [text(option.id), JSON.stringify(option.currentValue)]
    return { what: "option", went: `set its option ${id} to ${value}`, place: `with its option ${id} at ${value}` }
  }

  /** What went before that which was refused. */
  async #back(what: "model" | "variant" | "agentMode", was: Select | undefined, sessionId: string, ask: Ask) {
    const now = this.options[what]
    if (was?.current === undefined || now?.current === was.current) return
    const change = this.permissionMode === "bypass" ? ask : this.passthrough.following(ask)
    // What it does not take back either was refused all the same.
    await this.#choose(now, what, was.current, sessionId, change).catch(() => undefined)
  }

  async #choose(select: Select | undefined, what: string, value: string, sessionId: string, ask: Ask): Promise<void> {
    if (select === undefined) throw new NotSupported(`the agent offers no choice of its ${what}`, { option: what })
    if (!select.values.some(({ id }) => id === value))
      throw new SandboxAgentError(
        "invalid_request",
        `no ${what} ${JSON.stringify(value)}: ${select.values.map(({ id }) => id).join(", ")}`,
      )
    if (select.current === value) return
    const { options } = this
    if (select.id !== undefined)
      await ask("session/set_config_option", { sessionId, configId: select.id, value }, (result) =>
        options.update(result),
      )
    else if (what === "model")
      await ask("session/set_model", { sessionId, modelId: value }, () => options.modelIs(value))
    else await ask("session/set_mode", { sessionId, modeId: value }, () => options.modeIs(value))
  }
}

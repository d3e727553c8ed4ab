import type { Mode } from "@sandbox-agent/schema/agent"
import { type AcpTraits, traitsKey } from "@sandbox-agent/schema/registry"
import type { PassthroughSettings } from "../../core/driver.ts"
import { at, type Json, list, record, text } from "../shared/json.ts"

export interface Value {
  id: string
  name: string
  description?: string
}

export interface Select {
  /** Of the config option; `undefined`: it is set by a method of its own. */
  id: string | undefined
  current: string | undefined
  values: Value[]
}

/** What can be chosen in a session, as the agent reported it last: newer agents have config options, older ones modes and models. */
export class Options {
  #config: readonly Json[] = []
  #modes: Json = {}
  #models: Json = {}
  #isListed = false
  /** Options of which nobody knows what is chosen: they are as a new session has them. */
  readonly #guessed = new Set<unknown>()
  #isModelGuessed = false

  constructor(private readonly traits: AcpTraits) {}

  /** An answer that opened a session, or that changed an option. */
  update(result: Json): void {
    if (Array.isArray(result.configOptions)) {
      this.#config = list(result.configOptions).map(record)
      this.#isListed = true
      this.#guessed.clear()
    }
    if (result.modes) this.#modes = record(result.modes)
    if (!result.models) return
    this.#models = record(result.models)
    this.#isModelGuessed = false
  }

  /** Whether it has told its options in this session. */
  get isListed(): boolean {
    return this.#isListed
  }

  /** What it did not tell of an old session it offers as a new one, whatever is chosen there; `untold` are to be had as well. */
  complete(offer: Json, untold: Readonly<Record<string, string | boolean>>): void {
    const { mode, model } = this
    if (!this.#isListed) {
      const offered = list(offer.configOptions).map(record)
      const others = Object.entries(untold).filter(([id]) => !offered.some((one) => one.id === id))
      this.#config = [...offered, ...others.map(([id, value]) => unlisted(id, value))]
      for (const { id } of this.#config) this.#guessed.add(id)
    }
    // It may have told which one it is in, and not which there are.
    const { currentModeId } = this.#modes
    if (mode === undefined && offer.modes) this.#modes = { ...record(offer.modes), currentModeId }
    if (model !== undefined || !offer.models) return
    this.#models = record(offer.models)
    this.#isModelGuessed = true
  }

  /** Whether nobody knows what is chosen. */
  isGuessed(id: unknown): boolean {
    return this.#guessed.has(id)
  }

  /** It was set, and the answer lists nothing: where nothing else is known it is the value that was given. */
  valueIs(id: string, value: string | boolean): void {
    if (!this.#guessed.delete(id)) return
    this.#config = this.#config.map((one) => (one.id === id ? { ...one, currentValue: value } : one))
  }

  /** Answers to the methods of old name no value: it is the one that was given. */
  modeIs(id: string): void {
    this.#modes = { ...this.#modes, currentModeId: id }
    this.#config = this.#config.map((one) => {
      if (one.category !== "mode") return one
      this.#guessed.delete(one.id)
      return { ...one, currentValue: id }
    })
  }

  modelIs(id: string): void {
    this.#models = { ...this.#models, currentModelId: id }
    this.#isModelGuessed = false
  }

  get mode(): Select | undefined {
    const values = valuesOf(this.#modes.availableModes, "id")
    const option = this.#option("mode")
    if (values.length > 0) return { id: undefined, current: text(this.#modes.currentModeId), values }
    return option
  }

  /** What our agent mode chooses. */
  get agentMode(): Select | undefined {
    const { modeOption } = this.traits
    return modeOption === undefined ? this.mode : this.#named(modeOption)
  }

  get model(): Select | undefined {
    const option = this.#option("model")
    if (option !== undefined) return option
    const values = valuesOf(this.#models.availableModels, "modelId")
    const current = this.#isModelGuessed ? undefined : text(this.#models.currentModelId)
    return values.length === 0 ? undefined : { id: undefined, current, values }
  }

  get variant(): Select | undefined {
    return this.#option("thought_level")
  }

  /** Those that change what the agent asks for are no agent modes. `build` is the agent's own default. */
  get modes(): Mode[] {
    const { modes: { ask, plan, bypass, hidden = [], agent = [] } = {}, modeOption } = this.traits
    const values = this.agentMode?.values ?? []
    const never = modeOption === undefined ? [ask, plan, bypass, ...hidden] : [values[0]?.id]
    const build = { id: "build", name: "Build", description: "The agent's own default" }
    const isVouchedFor = (id: string): boolean => modeOption !== undefined || agent.includes(id)
    const others = values.filter(({ id }) => id !== "build" && !never.includes(id))
    return [build, ...others.map((mode): Mode => (isVouchedFor(mode.id) ? mode : { ...mode, unverified: true }))]
  }

  /** Unchanged. Those that choose its mode are left out: modes are our settings. */
  get passthrough(): PassthroughSettings {
    const [model, variant] = [this.#byCategory("model"), this.#byCategory("thought_level")]
    const { modeOption } = this.traits
    const others = this.#config.filter(
      (one) => one !== model && one !== variant && one.category !== "mode" && text(one.id) !== (modeOption ?? ""),
    )
    const models = list(this.#models.availableModels).length > 0 ? this.#models : undefined
    return {
      ...(model && { model }),
      ...(variant && { variant }),
      others: others.map((one) => (this.isVouchedFor(one) ? one : marked(one))),
      ...(models && { models }),
    }
  }

  /** Options of its own that may change what it asks for. */
  get unvouched(): readonly Json[] {
    return this.passthrough.others.filter((option) => !this.isVouchedFor(option))
  }

  /** Whether an option of the agent's own is known to change nothing of what it asks for. */
  isVouchedFor(option: Json): boolean {
    return option.category === "model_config" || this.traits.options?.includes(text(option.id) ?? "") === true
  }

  #option(category: string): Select | undefined {
    return this.#select(this.#byCategory(category))
  }

  #byCategory(category: string): Json | undefined {
    return this.#config.find((option) => option.category === category && option.type !== "boolean")
  }

  #named(id: string): Select | undefined {
    return this.#select(this.#config.find((option) => text(option.id) === id))
  }

  #select(option: Json | undefined): Select | undefined {
    if (option === undefined) return undefined
    const current = this.isGuessed(option.id) ? undefined : text(option.currentValue)
    return { id: text(option.id), current, values: valuesOf(option.options, "value") }
  }
}

/** Of one that was never listed only this is known. */
const unlisted = (id: string, value: string | boolean): Json =>
  typeof value === "boolean"
    ? { id, name: id, type: "boolean", currentValue: value }
    : { id, name: id, type: "select", currentValue: value, options: [{ value, name: value }] }

const marked = (option: Json): Json => ({
  ...option,
  _meta: { ...record(option._meta), [traitsKey]: { unverified: true } },
})

/** Whether an option of the agent's own can have this value. */
export function takes(option: Json, value: string | boolean): boolean {
  if (option.type === "boolean") return typeof value === "boolean"
  return valuesOf(option.options, "value").some(({ id }) => id === value)
}

/** Options may come in groups. */
function valuesOf(options: unknown, key: string): Value[] {
  return list(options).flatMap((one): Value[] => {
    const value = record(one)
    if (Array.isArray(value.options)) return valuesOf(value.options, key)
    const id = text(value[key]) ?? text(at(value, "id"))
    if (id === undefined) return []
    const description = text(value.description)
    return [{ id, name: text(value.name) ?? id, ...(description && { description }) }]
  })
}

import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { PermissionMode } from "@sandbox-agent/schema/session"
import type { InitialChoices } from "../../core/driver.ts"
import { type Json, text } from "../shared/json.ts"
import { initialOf, isValue, NotPutBack, type Value } from "./initial.ts"
import { type Options, takes } from "./options.ts"
import { RpcError } from "./peer.ts"

/** `read` gets the answer in its place among the lines: what the agent says after it is newer. */
export type Ask = (method: string, params: object, read: (result: Json) => void) => Promise<unknown>

/** Options that are none of our settings: what was chosen of them, and what the agent had chosen before. */
export class PassthroughChoices {
  #chosen: Readonly<Record<string, Value>> = {}
  /** What the agent began with; of an old session not always known. */
  initial: InitialChoices | undefined
  /** What of an old session was chosen under `bypass` nobody knows: any of it may have been. */
  isUnknown = false
  readonly #unsafe = new Set<string>()
  readonly #putBack = new Set<string>()

  constructor(private readonly options: Options) {}

  /** What is to be chosen again when the agent is started again. */
  get chosen(): Readonly<Record<string, Value>> {
    return this.#chosen
  }

  async choose(id: string, value: Value, mode: PermissionMode, sessionId: string, ask: Ask): Promise<void> {
    const option = this.#option(id)
    if (!takes(option, value))
      throw new SandboxAgentError("invalid_request", `option ${id} has no value ${JSON.stringify(value)}`)
    const isVouchedFor = this.options.isVouchedFor(option)
    if (!isVouchedFor && mode !== "bypass") throw unverified(`option ${id}`, "options")
    this.#remember(id, option.currentValue)
    this.#unsafe.add(id)
    this.#putBack.delete(id)
    await this.#set(option, id, value, sessionId, ask)
    this.#chosen = { ...this.#chosen, [id]: value }
  }

  /** For changes of ours outside `bypass`: what the agent chooses anew with one of them, it begins with from then on. */
  following(ask: Ask): Ask {
    return async (...change) => {
      const { options } = this
      const known = Object.entries(initialOf(options).options).filter(([id]) => !options.isGuessed(id))
      const before = Object.fromEntries(known)
      const answer = await ask(...change)
      for (const { id, currentValue } of options.unvouched) {
        const had = before[String(id)]
        if (had !== undefined && had !== currentValue) this.#follow(String(id), currentValue)
      }
      return answer
    }
  }

  /**
   * Outside `bypass` everything that nobody vouches for stands as the agent had it, and the agent says so. What can no longer
   * stand so follows the agent, unless it was chosen under `bypass`, or the session leaves it.
   */
  async restore(sessionId: string, ask: Ask, leavesBypass: boolean): Promise<void> {
    const { options } = this
    for (const id of options.unvouched.map((option) => text(option.id) ?? "")) {
      const due = this.initial?.options[id]
      const option = this.#offered(id)
      if (option === undefined || due === undefined) continue
      if (!leavesBypass && !takes(option, due) && this.#follow(id, option.currentValue)) continue
      const now = await this.#set(option, id, due, sessionId, ask).catch((error: unknown) => {
        if (!(error instanceof RpcError)) throw error
        // A value that it no longer offers it will refuse again, whatever it says of why.
        const cause = takes(option, due) ? error : undefined
        throw new NotPutBack(`option ${id} stays as it is: ${error.message}`, { cause })
      })
      if (now !== due) throw new NotPutBack(`option ${id} stays ${JSON.stringify(now)}`)
      this.#putBack.add(id)
    }
    const kept = Object.entries(this.#chosen).filter(([id]) => this.isVouchedFor(id))
    this.#chosen = Object.fromEntries(kept)
  }

  /** An option that stands otherwise than the agent began with, and can go back. */
  stray(): Json | undefined {
    return this.options.unvouched.find((option) => {
      const id = text(option.id) ?? ""
      const due = this.initial?.options[id]
      if (due === undefined || option.currentValue === due || this.options.isGuessed(id)) return false
      return takes(option, due) || !this.#follow(id, option.currentValue)
    })
  }

  /** What comes later than the session began, it begins with as it comes. */
  rememberNew(): void {
    for (const { id, currentValue } of this.options.unvouched) this.#remember(String(id), currentValue)
  }

  isVouchedFor(id: string): boolean {
    return this.options.isVouchedFor(this.#offered(id) ?? { id })
  }

  /** `false`: it may stand in what was chosen under `bypass`, and has to go back. */
  #follow(id: string, now: unknown): boolean {
    const mustGoBack = !this.#putBack.has(id) && (this.isUnknown || this.#unsafe.has(id))
    if (mustGoBack || this.initial === undefined || !isValue(now)) return false
    this.initial = { ...this.initial, options: { ...this.initial.options, [id]: now } }
    return true
  }

  /** One that came later than the session began. */
  #remember(id: string, now: unknown): void {
    if (this.initial === undefined || id in this.initial.options || !isValue(now)) return
    this.initial = { ...this.initial, options: { ...this.initial.options, [id]: now } }
  }

  /** What it is by the answer; what the agent says after that is a change of its own. */
  async #set(option: Json, configId: string, value: Value, sessionId: string, ask: Ask): Promise<unknown> {
    const { options } = this
    if (option.currentValue === value && !options.isGuessed(configId)) return value
    let now: unknown = value
    const type = option.type === "boolean" ? { type: "boolean" } : {}
    const read = (result: Json) => {
      options.update(result)
      options.valueIs(configId, value)
      now = this.#offered(configId)?.currentValue ?? value
    }
    await ask("session/set_config_option", { sessionId, configId, value, ...type }, read)
    return now
  }

  #offered = (id: string): Json | undefined => this.options.passthrough.others.find((one) => text(one.id) === id)

  #option(id: string): Json {
    const found = this.#offered(id)
    if (found !== undefined) return found
    const known = this.options.passthrough.others.map((one) => text(one.id)).join(", ")
    throw new SandboxAgentError("invalid_request", `no option ${JSON.stringify(id)}: ${known || "it has none"}`)
  }
}

/** Nobody knows whether the agent would still ask. */
export const unverified = (what: string, vouchedBy: string): SandboxAgentError =>
  new SandboxAgentError(
    "permission_denied",
    `${what} may change what the agent asks for: it is taken only in permission mode bypass`,
    { hint: `Use permission mode bypass, or vouch for it in the agent's registry entry (${vouchedBy}).` },
  )

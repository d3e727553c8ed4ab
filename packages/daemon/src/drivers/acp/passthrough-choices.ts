import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { PermissionMode } from "@sandbox-agent/schema/session"
import { type Json, text } from "../shared/json.ts"
import { type Options, takes } from "./options.ts"

type Value = string | boolean
/** `read` gets the answer in its place among the lines: what the agent says after it is newer. */
export type Ask = (method: string, params: object, read: (result: Json) => void) => Promise<unknown>

/** Options that are none of our settings: what was chosen of them, and what stood there before. */
export class PassthroughChoices {
  #chosen: Readonly<Record<string, Value>> = {}
  /** Of options that may change what the agent asks for: their values before `bypass` let them be chosen. */
  readonly #before = new Map<string, Value>()

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
    const now = option.currentValue
    if (!isVouchedFor && !this.#before.has(id) && isValue(now)) this.#before.set(id, now)
    await this.#set(option, id, value, sessionId, ask)
    this.#chosen = { ...this.#chosen, [id]: value }
  }

  /** Outside `bypass` everything that nobody vouches for stands as the agent had it. */
  async restore(sessionId: string, ask: Ask): Promise<void> {
    for (const [id, value] of this.#before) {
      const { [id]: _, ...kept } = this.#chosen
      this.#chosen = kept
      await this.#set(this.#option(id), id, value, sessionId, ask)
      this.#before.delete(id)
    }
  }

  async #set(option: Json, configId: string, value: Value, sessionId: string, ask: Ask): Promise<void> {
    if (option.currentValue === value) return
    const type = option.type === "boolean" ? { type: "boolean" } : {}
    const read = (result: Json) => this.options.update(result)
    await ask("session/set_config_option", { sessionId, configId, value, ...type }, read)
  }

  #option(id: string): Json {
    const { others } = this.options.passthrough
    const found = others.find((one) => text(one.id) === id)
    if (found !== undefined) return found
    const known = others.map((one) => text(one.id)).join(", ")
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

const isValue = (value: unknown): value is Value => typeof value === "string" || typeof value === "boolean"

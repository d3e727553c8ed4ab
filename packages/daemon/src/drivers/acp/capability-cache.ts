import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import type { Capabilities } from "@sandbox-agent/schema/agent"
import { limits } from "@sandbox-agent/schema/limits"
import type { AcpTraits } from "@sandbox-agent/schema/registry"
import { readRegularNow } from "../../files/regular-now.ts"
import { record } from "../shared/json.ts"
import type { Abilities } from "./initialize.ts"
import type { Options } from "./options.ts"

/** What an agent said of itself in its last session, kept for the next daemon: without it nothing would be resumed. */
export class CapabilityCache {
  /** Whether it takes sounds in a prompt: only its own protocol has those. */
  audio = false

  constructor(
    readonly capabilities: Capabilities,
    private readonly traits: AcpTraits,
    private readonly file: string | undefined,
  ) {
    if (file === undefined) return
    const { audio, ...told } = read(file)
    this.#take(told)
    this.audio = audio === true
  }

  opened(abilities: Abilities, options: Options): void {
    const told: Partial<Capabilities> = {
      images: abilities.image,
      resume: abilities.load || abilities.resume,
      fork: abilities.fork,
      steer: abilities.steering,
      mcpTools: true,
      models: (options.model?.values.length ?? 0) > 1,
      variants: (options.variant?.values.length ?? 0) > 1,
      modes: options.modes.length > 1,
    }
    const { audio } = abilities
    const isNew = this.#take(told) || audio !== this.audio
    this.audio = audio
    if (!isNew || this.file === undefined) return
    mkdirSync(dirname(this.file), { recursive: true, mode: 0o700 })
    const fresh = `${this.file}.${process.pid}`
    // Made anew: what somebody put there is not written to.
    rmSync(fresh, { recursive: true, force: true })
    writeFileSync(fresh, JSON.stringify({ ...told, audio }), { flag: "wx" })
    renameSync(fresh, this.file)
  }

  /** What is known of it counts more than what it says. */
  #take(told: Readonly<Partial<Record<keyof Capabilities, unknown>>>): boolean {
    let changed = false
    for (const [name, value] of Object.entries(told) as [keyof Capabilities, unknown][]) {
      const known = this.traits.capabilities?.[name] !== undefined
      if (known || typeof value !== "boolean" || this.capabilities[name] === value) continue
      this.capabilities[name] = value
      changed = true
    }
    return changed
  }
}

/** A file that was cut says nothing, and the next session writes it again. */
function read(file: string): Readonly<Record<string, unknown>> {
  try {
    return record(JSON.parse(readRegularNow(file, limits.settingsFileBytes)))
  } catch {
    return {}
  }
}

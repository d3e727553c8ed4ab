import { join } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { RegistryEntry } from "@sandbox-agent/schema/registry"
import type { Driver } from "../core/driver.ts"
import { createRegistryDriver } from "../drivers/drivers.ts"
import { type LazyInstaller, registryPrograms } from "../install/programs.ts"
import { launchWords } from "../registry/launch-words.ts"
import { entryVariables } from "../registry/variables.ts"
import type { Variables } from "../supervisor/environment.ts"

/** Agents of the registry among those we have drivers for; one that is added while we run is there at once. */
export class RegistryAgents {
  /** What was said of each, as text: a driver holds processes and is made anew only when that changed. */
  readonly #said = new Map<string, string>()

  constructor(
    private readonly drivers: Map<string, Driver>,
    private readonly installer: LazyInstaller,
    private readonly directory: string,
    /** What each may see of our environment. */
    private readonly variables: Map<string, Variables>,
  ) {}

  setEntries(entries: readonly RegistryEntry[]): void {
    this.installer.setEntries(entries)
    for (const entry of entries) {
      const said = JSON.stringify(entry)
      if (this.#said.get(entry.id) === said) continue
      this.#said.set(entry.id, said)
      this.variables.set(entry.id, entryVariables(entry))
      const programs = registryPrograms(this.installer, entry)
      const memory = join(this.directory, "agents", entry.id, "learned.json")
      this.drivers.set(entry.id, createRegistryDriver(entry, launchWords(entry), programs, memory))
    }
    for (const id of [...this.#said.keys()].filter((known) => !entries.some((entry) => entry.id === known))) {
      this.#said.delete(id)
      this.drivers.delete(id)
      this.variables.delete(id)
    }
  }
}

/** A name that nobody has would be found out by the first client that names none. */
export function assertKnown(agent: string | undefined, drivers: ReadonlyMap<string, Driver>): void {
  if (agent === undefined || drivers.has(agent)) return
  const known = [...drivers.keys()].join(", ")
  throw new SandboxAgentError("unsupported_agent", `--default-agent: there is no agent ${agent}; there are ${known}`, {
    agent,
    hint: "see `sandbox-agent help server`",
  })
}

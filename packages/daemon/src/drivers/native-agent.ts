import type { Driver } from "../core/driver.ts"
import type { Programs } from "../core/programs.ts"
import type { Credential, Discovery, Machine } from "../credentials/credential.ts"
import type { AgentEntry } from "../install/entry.ts"
import type { Variables } from "../supervisor/environment.ts"

export interface DriverOptions {
  /** The words that start this program again. */
  self: readonly string[]
  version: string
  /** Where the program of this agent comes from. */
  programs: Programs
}

/** One agent with a driver or a place for one: all that the daemon, the installer and the CLI know of it. Listed in `table.ts`. */
export interface NativeAgent {
  readonly id: string
  /** Loaded by the daemon alone. None yet: it can be installed, and its credentials are found. */
  readonly driver?: (options: DriverOptions) => Promise<Driver>
  /** Where its program comes from; none: it is part of this one. */
  readonly install?: Omit<AgentEntry, "agent">
  /** What its processes may see of the daemon's environment, beside what all see: login, providers, settings. */
  readonly variables: Variables
  readonly credentials?: AgentCredentials
  /** What its driver has this program be when it starts it again (`shared/own-program.ts`). Loaded without the rest: it must start fast. */
  readonly ownProgram?: (words: string[]) => Promise<void>
  /** The conformance suite has a script for its model. */
  readonly isScripted?: true
}

export interface AgentCredentials {
  discover(machine: Machine): Discovery
  /** The variable to set where nothing was found. */
  readonly variable: string
  /** Where models are asked that are the agent's own: the name its credentials have for them, and what puts another address in its place. */
  readonly provider?: { readonly name: string; readonly variable: string; readonly address: string }
  /** The agent's own way to log in, in words, for the same. */
  readonly login?: string
  /** Variables that give another machine what was found in a file; else those of the provider. */
  variablesFor?(credential: Credential): string[] | undefined
}

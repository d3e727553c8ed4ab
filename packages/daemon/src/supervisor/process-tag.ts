import { randomBytes } from "node:crypto"
import { processTagVariable } from "./environment.ts"

/**
 * `<daemon>:<run>.<serial>:<owner>`. Everything looked for is a prefix of it: the daemon in all its runs, one run,
 * one child. A run has a name of its own so that the watcher of a killed run never touches the next run's children,
 * and a child a number so that the sweep after a dead agent never touches the one restarted for the same owner.
 */
export class ProcessTags {
  readonly run: string
  #serial = 0

  constructor(daemonId: string) {
    this.run = `${daemonTagPrefix(daemonId)}${randomBytes(6).toString("hex")}.`
  }

  /** The value for a new child, and the prefix that finds it with all its descendants. */
  next(owner: string): { value: string; prefix: string } {
    const prefix = `${this.run}${++this.#serial}:`
    return { value: `${prefix}${owner}`, prefix }
  }
}

export const daemonTagPrefix = (daemonId: string): string => `${daemonId}:`

/** As it stands in an environment block. */
export const tagInEnvironment = (prefix: string): string => `${processTagVariable}=${prefix}`

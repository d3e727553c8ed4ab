import { parseArgs } from "node:util"

export interface Options {
  /** Executable of the peer, or `auto` to fetch it into the cache. */
  peer?: string
  /** Names of cases; all when absent. */
  only?: ReadonlySet<string>
  /** Fetch the real agents that are not here. */
  agents: boolean
  json?: string
  /** Run the daemon and the floor from source instead of as executables. */
  source: boolean
  /** Exit with 1 when a bar is missed. */
  strict: boolean
}

export const usage =
  "bun bench/run.ts [--peer <executable>|auto] [--only name,…] [--agents] [--json FILE] [--source] [--strict]"

export function readOptions(argv: string[]): Options {
  const { values } = parseArgs({
    args: argv,
    options: {
      peer: { type: "string" },
      only: { type: "string" },
      agents: { type: "boolean", default: false },
      json: { type: "string" },
      source: { type: "boolean", default: false },
      strict: { type: "boolean", default: false },
    },
  })
  return {
    peer: values.peer,
    only: values.only === undefined ? undefined : new Set(values.only.split(",")),
    agents: values.agents,
    json: values.json,
    source: values.source,
    strict: values.strict,
  }
}

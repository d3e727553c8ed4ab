import { type RegistryEntry, traitsOf } from "@sandbox-agent/schema/registry"
import { nativeAgent } from "../drivers/table.ts"
import type { Variables } from "../supervisor/environment.ts"
import { adapted } from "./builtin.ts"

/** One that is not in the table gets what all get. */
export const nativeVariables = (agent: string): Variables => nativeAgent(agent)?.variables ?? []

/** Of an agent of the registry: what it logs in with, and what else its entry names. */
export function entryVariables(entry: RegistryEntry): Variables {
  const { login = [], variables = [] } = traitsOf(entry)
  const names = login.flatMap(({ env }) => (env === undefined ? [] : [env]))
  return [...nativeVariables(adapted[entry.id] ?? ""), ...names, ...variables]
}

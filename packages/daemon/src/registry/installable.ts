import type { RegistryEntry } from "@sandbox-agent/schema/registry"
import type { AgentEntry } from "../install/entry.ts"
import { installTable } from "../install/table.ts"
import { installEntryOf } from "./install-entry.ts"

/** Everything that can be installed: the agents with drivers of their own, and those of the registry. */
export function installable(entries: readonly RegistryEntry[]): Map<string, AgentEntry> {
  const own = entries.map((entry) => [entry.id, installTable.get(entry.id) ?? installEntryOf(entry)] as const)
  return new Map([...installTable, ...own])
}

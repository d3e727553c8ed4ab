import type { RegistryEntry } from "@sandbox-agent/schema/registry"
import { nativeAgents } from "../drivers/table.ts"
import type { AgentEntry } from "../install/entry.ts"
import { common } from "../install/platform-builds.ts"
import { adapted, provenEntries } from "./builtin.ts"
import { installEntryOf, packageOf } from "./install-entry.ts"

/** A proven adapter: its program has the name of its entry, and tells its version as most do. */
function adapterOf({ id, version = "", distribution: { npx } }: RegistryEntry): AgentEntry[] {
  if (adapted[id] === undefined || npx === undefined) return []
  const script = { name: packageOf(npx.package).name, bin: id }
  return [{ ...common, agent: id, binary: id, tested: version, npm: [{ runtime: "bun", script }] }]
}

const native = nativeAgents.flatMap(({ id, install }): AgentEntry[] => (install ? [{ agent: id, ...install }] : []))

/** What `install-agent all` installs: agents with an entry of ours, and the adapters that the suite has proved. */
export const installTable: ReadonlyMap<string, AgentEntry> = new Map(
  [...native, ...provenEntries.flatMap(adapterOf)].map((entry) => [entry.agent, entry]),
)

/** Everything that can be installed: the table, and the agents of the registry. */
export function installable(entries: readonly RegistryEntry[]): Map<string, AgentEntry> {
  const all = entries.map((entry) => [entry.id, installTable.get(entry.id) ?? installEntryOf(entry)] as const)
  return new Map([...installTable, ...all])
}

import { isAbsolute } from "node:path"
import type { RegistryEntry } from "@sandbox-agent/schema/registry"
import { builtinEntries } from "./builtin.ts"
import { addedFile, readRegistryFile } from "./registry-file.ts"

/** Names of the native drivers: no entry has one of them. */
export const nativeAgents: readonly string[] = ["claude", "codex", "opencode", "amp", "pi", "mock"]

/** The ACP agents of one data directory: ours, those of a configured file, and those that were added. */
export function registryEntries(dataDir: string, file?: string): RegistryEntry[] {
  const configured = file === undefined ? [] : readRegistryFile(file)
  const all = [...builtinEntries, ...configured, ...readRegistryFile(addedFile(dataDir))]
  // What is said later counts.
  const byId = new Map(all.filter(({ id }) => !nativeAgents.includes(id)).map((entry) => [entry.id, entry]))
  return [...byId.values()]
}

/** Programs that an entry names by their whole path. */
export const namedPaths = (entries: readonly RegistryEntry[]): Record<string, string> =>
  Object.fromEntries(
    entries.flatMap(({ id, distribution: { command } }) =>
      command !== undefined && isAbsolute(command.cmd) ? [[id, command.cmd]] : [],
    ),
  )

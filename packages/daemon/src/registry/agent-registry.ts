import { isAbsolute } from "node:path"
import type { RegistryEntry } from "@sandbox-agent/schema/registry"
import { nativeAgent } from "../drivers/table.ts"
import { builtinEntries } from "./builtin.ts"
import { addedFile, readRegistryFile } from "./registry-file.ts"

/**
 * The ACP agents of one data directory: ours, those of a configured file, and those that were added.
 * The ids of our own table are taken: `onTaken` is told of an entry with one of them, which is left out.
 */
export function registryEntries(dataDir: string, file?: string, onTaken?: (id: string) => void): RegistryEntry[] {
  const configured = file === undefined ? [] : readRegistryFile(file)
  const all = [...builtinEntries, ...configured, ...readRegistryFile(addedFile(dataDir))]
  const byId = new Map<string, RegistryEntry>()
  for (const entry of all) {
    // What is said later counts.
    if (nativeAgent(entry.id) === undefined) byId.set(entry.id, entry)
    else onTaken?.(entry.id)
  }
  return [...byId.values()]
}

/** Programs that an entry names by their whole path. */
export const namedPaths = (entries: readonly RegistryEntry[]): Record<string, string> =>
  Object.fromEntries(
    entries.flatMap(({ id, distribution: { command } }) =>
      command !== undefined && isAbsolute(command.cmd) ? [[id, command.cmd]] : [],
    ),
  )

import { isAbsolute } from "node:path"
import type { RegistryEntry } from "@sandbox-agent/schema/registry"
import { nativeAgent } from "../drivers/table.ts"
import { builtinEntries } from "./builtin.ts"
import { addedFile, readRegistryFile } from "./registry-file.ts"

/** The ACP agents of one data directory: ours, those of a configured file, and those that were added. */
export function registryEntries(dataDir: string, file?: string): RegistryEntry[] {
  const configured = file === undefined ? [] : readRegistryFile(file)
  const all = [...builtinEntries, ...configured, ...readRegistryFile(addedFile(dataDir))]
  // What is said later counts. The ids of our own table are taken.
  const byId = new Map(all.filter(({ id }) => nativeAgent(id) === undefined).map((entry) => [entry.id, entry]))
  return [...byId.values()]
}

/** Programs that an entry names by their whole path. */
export const namedPaths = (entries: readonly RegistryEntry[]): Record<string, string> =>
  Object.fromEntries(
    entries.flatMap(({ id, distribution: { command } }) =>
      command !== undefined && isAbsolute(command.cmd) ? [[id, command.cmd]] : [],
    ),
  )

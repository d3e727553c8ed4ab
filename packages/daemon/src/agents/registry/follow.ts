import { unwatchFile, watchFile } from "node:fs"
import type { RegistryEntry } from "@sandbox-agent/schema/registry"
import type { Host } from "../../core/driver.ts"
import { registryEntries } from "./agent-registry.ts"
import { addedFile } from "./registry-file.ts"

const LOOK_MS = 500

/** Looks whether agents were added or taken away while the daemon runs; gives what ends the looking. */
export function followRegistry(
  dataDir: string,
  file: string | undefined,
  log: Host["log"],
  onEntries: (entries: RegistryEntry[]) => void,
): () => void {
  const path = addedFile(dataDir)
  const look = (): void => {
    try {
      onEntries(registryEntries(dataDir, file))
    } catch (error) {
      // Half an edit by hand: what was known stays.
      log("warn", "the file of added agents cannot be read", { path, error: String(error) })
    }
  }
  // Of its size and time, not of events: these also come over shared folders.
  watchFile(path, { interval: LOOK_MS, persistent: false }, look)
  return () => unwatchFile(path, look)
}

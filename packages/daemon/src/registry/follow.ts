import { statSync } from "node:fs"
import type { RegistryEntry } from "@sandbox-agent/schema/registry"
import type { Host } from "../core/driver.ts"
import { registryEntries } from "./agent-registry.ts"
import { addedFile } from "./registry-file.ts"

/**
 * Tells the agents there are, and gives what looks whether agents were added or taken away since it last did. Called when somebody asks for agents, not
 * every so often: a daemon at rest has no reason to know.
 */
export function followRegistry(
  dataDir: string,
  file: string | undefined,
  log: Host["log"],
  onEntries: (entries: RegistryEntry[]) => void,
): () => void {
  const path = addedFile(dataDir)
  const onTaken = (agent: string) =>
    log("warn", "an entry of the agents file is left out: its id is that of an agent of our own", { agent })
  let seen = stampOf(path)
  onEntries(registryEntries(dataDir, file, onTaken))
  return () => {
    const now = stampOf(path)
    if (now === seen) return
    seen = now
    try {
      onEntries(registryEntries(dataDir, file, onTaken))
    } catch (error) {
      // Half an edit by hand: what was known stays.
      log("warn", "the file of added agents cannot be read", { path, error: String(error) })
    }
  }
}

/** Of size and time, not of events: these do not come over shared folders. */
function stampOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined ? "" : `${found.ino} ${found.size} ${found.mtimeMs}`
}

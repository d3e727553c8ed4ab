import { mkdirSync } from "node:fs"
import { join } from "node:path"

/** A directory of its own for a session, as the daemon's clients give. */
export function workspace(directory: string, name: string): string {
  const path = join(directory, `workspace-${name}`)
  mkdirSync(path, { recursive: true })
  return path
}
